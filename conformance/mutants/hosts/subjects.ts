import type { Mutant } from "../mutant.js";

export const subjectsMutants: readonly Mutant[] = [];
