import type { Mutant } from "../mutant.js";

export const entryMutants: readonly Mutant[] = [];
