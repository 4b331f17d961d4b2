import type { Mutant } from "../mutant.js";

export const encodingMutants: readonly Mutant[] = [];
