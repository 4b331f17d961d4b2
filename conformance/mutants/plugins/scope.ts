import type { Mutant } from "../mutant.js";

export const scopeMutants: readonly Mutant[] = [];
