import type { Mutant } from "../mutant.js";

export const cursorMutants: readonly Mutant[] = [];
