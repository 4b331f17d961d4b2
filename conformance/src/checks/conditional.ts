import type { Check } from "../check.js";

export const conditionalChecks: readonly Check[] = [];
