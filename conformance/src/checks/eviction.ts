import type { Check } from "../check.js";

export const evictionChecks: readonly Check[] = [];
