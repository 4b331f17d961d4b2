import type { Check } from "../../catalogue/check.js";
import { contractChecks } from "./host-plugins-contract.js";
import { embedderChecks } from "./host-plugins-embedder.js";
import { failureChecks } from "./host-plugins-failures.js";
import { lifecycleChecks } from "./host-plugins-lifecycle.js";
import { neighboursChecks } from "./host-plugins-neighbours.js";
import { otherHostsChecks } from "./host-plugins-other-hosts.js";
import { reindexChecks } from "./host-plugins-reindex.js";
import { rulesChecks } from "./host-plugins-rules.js";
import { waitingChecks } from "./host-plugins-waiting.js";

export const hostPluginsChecks: readonly Check[] = [
  ...failureChecks,
  ...contractChecks,
  ...waitingChecks,
  ...lifecycleChecks,
  ...otherHostsChecks,
  ...embedderChecks,
  ...reindexChecks,
  ...rulesChecks,
  ...neighboursChecks,
];
