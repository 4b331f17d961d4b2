import type { Mutant } from "../mutant.js";

export const notifyMutants: readonly Mutant[] = [];
