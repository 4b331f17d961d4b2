import type { Check } from "../check.js";

export const limitsChecks: readonly Check[] = [];
