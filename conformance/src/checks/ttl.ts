import type { Check } from "../check.js";

export const ttlChecks: readonly Check[] = [];
