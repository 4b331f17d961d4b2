import type { Mutant } from "../mutant.js";

export const factoryMutants: readonly Mutant[] = [];
