import type { Mutant } from "../mutant.js";
import { contractMutants } from "./host-plugins-contract.js";
import { failureMutants } from "./host-plugins-failures.js";
import { lifecycleMutants } from "./host-plugins-lifecycle.js";
import { neighboursMutants } from "./host-plugins-neighbours.js";
import { otherHostsMutants } from "./host-plugins-other-hosts.js";
import { reindexMutants } from "./host-plugins-reindex.js";
import { rulesMutants } from "./host-plugins-rules.js";
import { waitingMutants } from "./host-plugins-waiting.js";

export const hostPluginsMutants: readonly Mutant[] = [
  ...failureMutants,
  ...contractMutants,
  ...waitingMutants,
  ...lifecycleMutants,
  ...otherHostsMutants,
  ...reindexMutants,
  ...rulesMutants,
  ...neighboursMutants,
];
