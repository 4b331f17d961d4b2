import type { Mutant } from "../mutant.js";
import { durabilityAgainMutants } from "./durability-again.js";
import { durabilityCrashMutants } from "./durability-crash.js";
import { durabilityKilledMutants } from "./durability-killed.js";
import { durabilityReopenMutants } from "./durability-reopen.js";
import { durabilityRestartMutants } from "./durability-restart.js";
import { durabilityStoredMutants } from "./durability-stored.js";

export const durabilityMutants: readonly Mutant[] = [
  ...durabilityReopenMutants,
  ...durabilityStoredMutants,
  ...durabilityAgainMutants,
  ...durabilityCrashMutants,
  ...durabilityKilledMutants,
  ...durabilityRestartMutants,
];
