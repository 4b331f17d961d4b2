import type { Check } from "../check.js";

export const hostPluginsChecks: readonly Check[] = [];
