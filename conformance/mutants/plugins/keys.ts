import type { Mutant } from "../mutant.js";

export const keysMutants: readonly Mutant[] = [];
