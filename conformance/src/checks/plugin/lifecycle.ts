import type { Check } from "../../catalogue/check.js";
import { lifecycleDirectoryChecks } from "./lifecycle-directory.js";
import { lifecycleManifestChecks } from "./lifecycle-manifest.js";
import { lifecycleServingChecks } from "./lifecycle-serving.js";

export const lifecycleChecks: readonly Check[] = [
  ...lifecycleManifestChecks,
  ...lifecycleServingChecks,
  ...lifecycleDirectoryChecks,
];
