import type { Mutant } from "../mutant.js";

export const featuresMutants: readonly Mutant[] = [];
