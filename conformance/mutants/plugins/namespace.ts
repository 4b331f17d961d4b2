import type { Mutant } from "../mutant.js";

export const namespaceMutants: readonly Mutant[] = [];
