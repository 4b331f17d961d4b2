import type { Check } from "../check.js";

export const envelopeChecks: readonly Check[] = [];
