import type { Check } from "../check.js";

export const forgetChecks: readonly Check[] = [];
