import type { Check } from "../check.js";

export const keysChecks: readonly Check[] = [];
