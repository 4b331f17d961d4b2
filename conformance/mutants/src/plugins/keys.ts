import type { Mutant } from "../mutant.js";
import { keysCanonicalMutants } from "./keys-canonical.js";
import { keysFormMutants } from "./keys-form.js";
import { keysIdentityMutants } from "./keys-identity.js";

export const keysMutants: readonly Mutant[] = [
  ...keysFormMutants,
  ...keysIdentityMutants,
  ...keysCanonicalMutants,
];
