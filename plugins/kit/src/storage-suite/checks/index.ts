import type { StorageCheck } from "../storage-check.js";
import { answerChecks } from "./answers.js";
import { besideChecks } from "./beside.js";
import { erasureChecks } from "./erasure.js";
import { folderChecks } from "./folder.js";
import { killChecks } from "./kill.js";
import { reopeningChecks } from "./reopening.js";
import { scopeChecks } from "./scopes.js";
import { tornTailChecks } from "./torn-tail.js";
import { valueChecks } from "./values.js";
import { vectorChecks } from "./vectors.js";
import { volumeChecks } from "./volume.js";

export const STORAGE_CHECKS: readonly StorageCheck[] = [
  ...valueChecks,
  ...answerChecks,
  ...scopeChecks,
  ...volumeChecks,
  ...vectorChecks,
  ...reopeningChecks,
  ...besideChecks,
  ...killChecks,
  ...tornTailChecks,
  ...folderChecks,
  ...erasureChecks,
];
