import type { Check } from "../check.js";

export const updateChecks: readonly Check[] = [];
