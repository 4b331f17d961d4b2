import type { Check } from "../../../catalogue/check.js";
import { forgetErasedChecks } from "./forget-erased.js";
import { forgetErasureChecks } from "./forget-erasure.js";
import { forgetGoneChecks } from "./forget-gone.js";
import { forgetPurgeChecks } from "./forget-purge.js";
import { forgetRequestChecks } from "./forget-request.js";
import { forgetSelectionChecks } from "./forget-selection.js";
import { forgetStoredChecks } from "./forget-stored.js";

export const forgetChecks: readonly Check[] = [
  ...forgetSelectionChecks,
  ...forgetStoredChecks,
  ...forgetGoneChecks,
  ...forgetRequestChecks,
  ...forgetPurgeChecks,
  ...forgetErasureChecks,
  ...forgetErasedChecks,
];
