import type { Mutant } from "../mutant.js";

export const discoveryMutants: readonly Mutant[] = [];
