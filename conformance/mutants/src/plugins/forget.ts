import type { Mutant } from "../mutant.js";
import { forgetErasedMutants } from "./forget-erased.js";
import { forgetErasureMutants } from "./forget-erasure.js";
import { forgetGoneMutants } from "./forget-gone.js";
import { forgetPurgeMutants } from "./forget-purge.js";
import { forgetRequestMutants } from "./forget-request.js";
import { forgetSelectionMutants } from "./forget-selection.js";
import { forgetStoredMutants } from "./forget-stored.js";

export const forgetMutants: readonly Mutant[] = [
  ...forgetSelectionMutants,
  ...forgetGoneMutants,
  ...forgetRequestMutants,
  ...forgetPurgeMutants,
  ...forgetErasureMutants,
  ...forgetErasedMutants,
  ...forgetStoredMutants,
];
