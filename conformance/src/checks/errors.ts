import type { Check } from "../check.js";

export const errorsChecks: readonly Check[] = [];
