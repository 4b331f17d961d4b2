import type { Check } from "../../catalogue/check.js";
import { scopeIndependenceChecks } from "./scope-independence.js";
import { scopeNameChecks } from "./scope-names.js";
import { scopePartitionChecks } from "./scope-partitions.js";

export const scopeChecks: readonly Check[] = [
  ...scopePartitionChecks,
  ...scopeNameChecks,
  ...scopeIndependenceChecks,
];
