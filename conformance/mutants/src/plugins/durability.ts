import type { Mutant } from "../mutant.js";
import { durabilityCrashMutants } from "./durability-crash.js";
import { durabilityReopenMutants } from "./durability-reopen.js";
import { durabilityRestartMutants } from "./durability-restart.js";

export const durabilityMutants: readonly Mutant[] = [
  ...durabilityReopenMutants,
  ...durabilityCrashMutants,
  ...durabilityRestartMutants,
];
