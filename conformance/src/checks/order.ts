import type { Check } from "../check.js";

export const orderChecks: readonly Check[] = [];
