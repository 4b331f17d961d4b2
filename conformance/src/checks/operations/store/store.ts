import type { Check } from "../../../catalogue/check.js";
import { storeBatchChecks } from "./store-batch.js";
import { storeEmbedderChecks } from "./store-embedder.js";
import { storeHostChecks } from "./store-host.js";
import { storeOwnChecks } from "./store-own.js";
import { storeOwnEdgeChecks } from "./store-own-edges.js";
import { storeWholeChecks } from "./store-whole.js";

export const storeChecks: readonly Check[] = [
  ...storeBatchChecks,
  ...storeOwnChecks,
  ...storeOwnEdgeChecks,
  ...storeEmbedderChecks,
  ...storeHostChecks,
  ...storeWholeChecks,
];
