import type { Mutant } from "../mutant.js";

export const hostPluginsMutants: readonly Mutant[] = [];
