import type { Check } from "../../../catalogue/check.js";
import { ttlEdgeChecks } from "./ttl-edges.js";
import { ttlPathChecks } from "./ttl-paths.js";
import { ttlRuleChecks } from "./ttl-rules.js";

export const ttlChecks: readonly Check[] = [...ttlPathChecks, ...ttlRuleChecks, ...ttlEdgeChecks];
