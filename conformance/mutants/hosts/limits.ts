import type { Mutant } from "../mutant.js";

export const limitsMutants: readonly Mutant[] = [];
