import type { Check } from "../check.js";

export const whereChecks: readonly Check[] = [];
