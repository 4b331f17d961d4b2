import type { Check } from "../../../catalogue/check.js";
import { approximateChecks } from "./approximate.js";
import { diversityChecks } from "./diversity.js";
import { expandChecks } from "./expand.js";
import { explainChecks } from "./explain.js";
import { fieldsChecks } from "./fields.js";
import { generationsChecks } from "./generations.js";
import { recencyChecks } from "./recency.js";
import { relevanceChecks } from "./relevance.js";
import { rerankChecks } from "./rerank.js";
import { snippetChecks } from "./snippet.js";
import { steeringRefusedChecks } from "./steering-refused.js";

/** Steering and explanation of rankings, and guarantees of scores. */
export const steeringChecks: readonly Check[] = [
  ...fieldsChecks,
  ...recencyChecks,
  ...diversityChecks,
  ...expandChecks,
  ...explainChecks,
  ...snippetChecks,
  ...rerankChecks,
  ...relevanceChecks,
  ...generationsChecks,
  ...approximateChecks,
  ...steeringRefusedChecks,
];
