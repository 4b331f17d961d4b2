import type { Check } from "../../../catalogue/check.js";
import { retryAgentChecks } from "./retry-agents.js";
import { retryEffectChecks } from "./retry-effects.js";
import { retryHostChecks } from "./retry-host.js";
import { retryNearBodyChecks } from "./retry-near-bodies.js";
import { retryNearIdChecks } from "./retry-near-ids.js";
import { retryResultChecks } from "./retry-results.js";
import { retryStatusChecks } from "./retry-status.js";

export const retryChecks: readonly Check[] = [
  ...retryResultChecks,
  ...retryEffectChecks,
  ...retryAgentChecks,
  ...retryNearIdChecks,
  ...retryNearBodyChecks,
  ...retryStatusChecks,
  ...retryHostChecks,
];
