import type { Check } from "../check.js";

export const subjectsChecks: readonly Check[] = [];
