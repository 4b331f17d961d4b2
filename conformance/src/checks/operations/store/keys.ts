import type { Check } from "../../../catalogue/check.js";
import { keysCanonicalChecks } from "./keys-canonical.js";
import { keysFormChecks } from "./keys-form.js";
import { keysIdentityChecks } from "./keys-identity.js";

export const keysChecks: readonly Check[] = [
  ...keysFormChecks,
  ...keysIdentityChecks,
  ...keysCanonicalChecks,
];
