import type { Check } from "../../../catalogue/check.js";
import { entryFieldsChecks } from "./entry-fields.js";
import { entryHostChecks } from "./entry-host.js";
import { entryOwnerChecks } from "./entry-owner.js";
import { entryRevisionChecks } from "./entry-revisions.js";
import { entryTimeChecks } from "./entry-time.js";
import { entryValueChecks } from "./entry-values.js";

export const entryChecks: readonly Check[] = [
  ...entryFieldsChecks,
  ...entryValueChecks,
  ...entryTimeChecks,
  ...entryRevisionChecks,
  ...entryOwnerChecks,
  ...entryHostChecks,
];
