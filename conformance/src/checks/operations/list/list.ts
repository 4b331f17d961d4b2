import type { Check } from "../../../catalogue/check.js";
import { listOrderChecks } from "./list-order.js";
import { listPageChecks } from "./list-pages.js";
import { listScopeChecks } from "./list-scopes.js";
import { listTierChecks } from "./list-tiers.js";
import { listValueChecks } from "./list-values.js";

/** Namespaces and values without reading entries. */
export const listChecks: readonly Check[] = [
  ...listValueChecks,
  ...listScopeChecks,
  ...listPageChecks,
  ...listOrderChecks,
  ...listTierChecks,
];
