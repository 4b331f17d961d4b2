import type { Mutant } from "../mutant.js";

export const retryMutants: readonly Mutant[] = [];
