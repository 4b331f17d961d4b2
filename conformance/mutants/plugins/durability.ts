import type { Mutant } from "../mutant.js";

export const durabilityMutants: readonly Mutant[] = [];
