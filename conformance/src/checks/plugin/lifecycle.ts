import type { Check } from "../../catalogue/check.js";
import { lifecycleDirectoryChecks } from "./lifecycle-directory.js";
import { lifecycleFilesChecks } from "./lifecycle-files.js";
import { lifecycleGrowthChecks } from "./lifecycle-growth.js";
import { lifecycleMaintenanceChecks } from "./lifecycle-maintenance.js";
import { lifecycleManifestChecks } from "./lifecycle-manifest.js";
import { lifecycleObjectsChecks } from "./lifecycle-objects.js";
import { lifecycleServingChecks } from "./lifecycle-serving.js";

export const lifecycleChecks: readonly Check[] = [
  ...lifecycleManifestChecks,
  ...lifecycleServingChecks,
  ...lifecycleDirectoryChecks,
  ...lifecycleMaintenanceChecks,
  ...lifecycleObjectsChecks,
  ...lifecycleGrowthChecks,
  ...lifecycleFilesChecks,
];
