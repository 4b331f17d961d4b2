import type { Mutant } from "../mutant.js";
import { retryEffectMutants } from "./retry-effects.js";
import { retryHostMutants } from "./retry-host.js";
import { retryResultMutants } from "./retry-results.js";
import { retryStatusMutants } from "./retry-status.js";

export const retryMutants: readonly Mutant[] = [
  ...retryResultMutants,
  ...retryEffectMutants,
  ...retryStatusMutants,
  ...retryHostMutants,
];
