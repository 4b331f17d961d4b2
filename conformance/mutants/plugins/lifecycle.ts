import type { Mutant } from "../mutant.js";

export const lifecycleMutants: readonly Mutant[] = [];
