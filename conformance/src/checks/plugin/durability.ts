import type { Check } from "../../catalogue/check.js";
import { durabilityCrashChecks } from "./durability-crash.js";
import { durabilityReopenChecks } from "./durability-reopen.js";
import { durabilityRestartChecks } from "./durability-restart.js";

export const durabilityChecks: readonly Check[] = [
  ...durabilityReopenChecks,
  ...durabilityCrashChecks,
  ...durabilityRestartChecks,
];
