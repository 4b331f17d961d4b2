import type { Mutant } from "../mutant.js";

export const orderMutants: readonly Mutant[] = [];
