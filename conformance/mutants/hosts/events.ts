import type { Mutant } from "../mutant.js";

export const eventsMutants: readonly Mutant[] = [];
