import type { Check } from "../check.js";

export const retryChecks: readonly Check[] = [];
