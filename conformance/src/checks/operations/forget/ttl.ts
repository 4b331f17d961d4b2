import type { Check } from "../../../catalogue/check.js";
import { ttlPathChecks } from "./ttl-paths.js";
import { ttlRuleChecks } from "./ttl-rules.js";

export const ttlChecks: readonly Check[] = [...ttlPathChecks, ...ttlRuleChecks];
