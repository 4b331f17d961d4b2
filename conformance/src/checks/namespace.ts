import type { Check } from "../check.js";

export const namespaceChecks: readonly Check[] = [];
