import type { Check } from "../check.js";

export const eventsChecks: readonly Check[] = [];
