import type { Check } from "../check.js";

export const durabilityChecks: readonly Check[] = [];
