import type { Check } from "../check.js";

export const concurrencyChecks: readonly Check[] = [];
