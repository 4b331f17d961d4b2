import type { Check } from "../../../catalogue/check.js";
import { whereFieldChecks } from "./where-fields.js";
import { whereGeneratedChecks } from "./where-generated.js";
import { whereNumberChecks } from "./where-numbers.js";
import { whereOperatorChecks } from "./where-operators.js";
import { whereRefusalChecks } from "./where-refusals.js";

export const whereChecks: readonly Check[] = [
  ...whereOperatorChecks,
  ...whereFieldChecks,
  ...whereNumberChecks,
  ...whereGeneratedChecks,
  ...whereRefusalChecks,
];
