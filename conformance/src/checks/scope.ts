import type { Check } from "../check.js";

export const scopeChecks: readonly Check[] = [];
