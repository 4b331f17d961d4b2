import type { Mutant } from "../mutant.js";

export const fullTextMutants: readonly Mutant[] = [];
