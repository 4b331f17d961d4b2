import type { Mutant } from "../mutant.js";

export const textMutants: readonly Mutant[] = [];
