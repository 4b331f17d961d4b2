import type { Mutant } from "../mutant.js";

export const evictionMutants: readonly Mutant[] = [];
