import type { Mutant } from "../mutant.js";

export const conditionalMutants: readonly Mutant[] = [];
