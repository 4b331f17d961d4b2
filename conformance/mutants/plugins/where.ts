import type { Mutant } from "../mutant.js";

export const whereMutants: readonly Mutant[] = [];
