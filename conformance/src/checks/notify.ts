import type { Check } from "../check.js";

export const notifyChecks: readonly Check[] = [];
