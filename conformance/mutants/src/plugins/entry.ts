import type { Mutant } from "../mutant.js";
import { entryFieldsMutants } from "./entry-fields.js";
import { entryHostMutants } from "./entry-host.js";
import { entryTimeMutants } from "./entry-time.js";
import { entryValueMutants } from "./entry-values.js";

export const entryMutants: readonly Mutant[] = [
  ...entryFieldsMutants,
  ...entryValueMutants,
  ...entryTimeMutants,
  ...entryHostMutants,
];
