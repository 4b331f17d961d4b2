import type { Mutant } from "../mutant.js";

export const updateMutants: readonly Mutant[] = [];
