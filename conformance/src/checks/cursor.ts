import type { Check } from "../check.js";

export const cursorChecks: readonly Check[] = [];
