import type { Check } from "../catalogue/check.js";
import { entryFieldsChecks } from "./entry-fields.js";
import { entryHostChecks } from "./entry-host.js";
import { entryTimeChecks } from "./entry-time.js";

export const entryChecks: readonly Check[] = [...entryFieldsChecks, ...entryTimeChecks, ...entryHostChecks];
