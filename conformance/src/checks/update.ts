import type { Check } from "../check.js";
import { updateFieldsChecks } from "./update-fields.js";
import { updateUnchangedChecks } from "./update-unchanged.js";

export const updateChecks: readonly Check[] = [...updateFieldsChecks, ...updateUnchangedChecks];
