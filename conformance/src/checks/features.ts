import type { Check } from "../check.js";

export const featuresChecks: readonly Check[] = [];
