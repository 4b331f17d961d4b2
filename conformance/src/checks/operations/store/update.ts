import type { Check } from "../../../catalogue/check.js";
import { updateFieldsChecks } from "./update-fields.js";
import { updateNearChecks } from "./update-near.js";
import { updateUnchangedChecks } from "./update-unchanged.js";

export const updateChecks: readonly Check[] = [
  ...updateFieldsChecks,
  ...updateUnchangedChecks,
  ...updateNearChecks,
];
