import type { Check } from "../check.js";

export const textChecks: readonly Check[] = [];
