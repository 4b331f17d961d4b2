import type { Check } from "../check.js";

export const factoryChecks: readonly Check[] = [];
