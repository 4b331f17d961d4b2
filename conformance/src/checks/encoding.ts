import type { Check } from "../check.js";

export const encodingChecks: readonly Check[] = [];
