import type { Mutant } from "../mutant.js";
import { whereHostMutants } from "./where-host.js";
import { whereOperatorMutants } from "./where-operators.js";
import { whereTreeMutants } from "./where-trees.js";

export const whereMutants: readonly Mutant[] = [
  ...whereOperatorMutants,
  ...whereTreeMutants,
  ...whereHostMutants,
];
