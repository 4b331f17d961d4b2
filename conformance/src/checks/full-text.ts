import type { Check } from "../check.js";

export const fullTextChecks: readonly Check[] = [];
