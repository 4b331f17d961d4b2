import type { Mutant } from "../mutant.js";

export const envelopeMutants: readonly Mutant[] = [];
