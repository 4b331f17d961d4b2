import type { Mutant } from "../mutant.js";

export const forgetMutants: readonly Mutant[] = [];
