import type { Mutant } from "../mutant.js";

export const ttlMutants: readonly Mutant[] = [];
