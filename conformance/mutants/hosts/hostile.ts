import type { Mutant } from "../mutant.js";

export const hostileMutants: readonly Mutant[] = [];
