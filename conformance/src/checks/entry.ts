import type { Check } from "../check.js";

export const entryChecks: readonly Check[] = [];
