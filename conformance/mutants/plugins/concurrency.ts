import type { Mutant } from "../mutant.js";

export const concurrencyMutants: readonly Mutant[] = [];
