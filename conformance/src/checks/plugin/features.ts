import type { Check } from "../../catalogue/check.js";
import { featureRefusedChecks } from "./features-refused.js";
import { featureRequiresChecks } from "./features-requires.js";
import { featureWorksChecks } from "./features-works.js";

/** Manifest twins: what is declared works, and what is not declared is refused where a request can demand it. */
export const featuresChecks: readonly Check[] = [
  ...featureWorksChecks,
  ...featureRefusedChecks,
  ...featureRequiresChecks,
];
