import type { Mutant } from "../mutant.js";

export const similarityMutants: readonly Mutant[] = [];
