import type { Check } from "../../catalogue/check.js";
import { featureRefusedChecks } from "./features-refused.js";
import { featureRequiresChecks } from "./features-requires.js";
import { featureWorksChecks } from "./features-works.js";

/** Declared features work, and undeclared features are refused if a request needs them. */
export const featuresChecks: readonly Check[] = [
  ...featureWorksChecks,
  ...featureRefusedChecks,
  ...featureRequiresChecks,
];
