import type { Mutant } from "../mutant.js";

export const storeMutants: readonly Mutant[] = [];
