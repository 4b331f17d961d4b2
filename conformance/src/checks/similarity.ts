import type { Check } from "../check.js";

export const similarityChecks: readonly Check[] = [];
