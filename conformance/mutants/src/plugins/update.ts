import type { Mutant } from "../mutant.js";
import { updateFieldsMutants } from "./update-fields.js";
import { updateUnchangedMutants } from "./update-unchanged.js";

export const updateMutants: readonly Mutant[] = [...updateFieldsMutants, ...updateUnchangedMutants];
