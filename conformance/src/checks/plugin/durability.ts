import type { Check } from "../../catalogue/check.js";
import { durabilityAgainChecks } from "./durability-again.js";
import { durabilityCrashChecks } from "./durability-crash.js";
import { durabilityKilledChecks } from "./durability-killed.js";
import { durabilityMovedChecks } from "./durability-moved.js";
import { durabilityReopenChecks } from "./durability-reopen.js";
import { durabilityRestartChecks } from "./durability-restart.js";
import { durabilityStoredChecks } from "./durability-stored.js";

export const durabilityChecks: readonly Check[] = [
  ...durabilityReopenChecks,
  ...durabilityStoredChecks,
  ...durabilityAgainChecks,
  ...durabilityCrashChecks,
  ...durabilityKilledChecks,
  ...durabilityRestartChecks,
  ...durabilityMovedChecks,
];
