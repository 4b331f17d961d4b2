import type { Check } from "../check.js";

export const hostileChecks: readonly Check[] = [];
