import type { Check } from "../check.js";

export const discoveryChecks: readonly Check[] = [];
