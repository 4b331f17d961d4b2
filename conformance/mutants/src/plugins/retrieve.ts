import type { Mutant } from "../mutant.js";
import { retrieveCriteriaMutants } from "./retrieve-criteria.js";
import { retrieveHostMutants } from "./retrieve-host.js";
import { retrievePageMutants } from "./retrieve-page.js";

export const retrieveMutants: readonly Mutant[] = [
  ...retrieveCriteriaMutants,
  ...retrievePageMutants,
  ...retrieveHostMutants,
];
