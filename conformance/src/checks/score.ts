import type { Check } from "../check.js";

export const scoreChecks: readonly Check[] = [];
