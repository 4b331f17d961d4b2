import type { Mutant } from "../mutant.js";

export const scoreMutants: readonly Mutant[] = [];
