import type { Mutant } from "../mutant.js";
import { storeBatchMutants } from "./store-batch.js";
import { storeEmbedderMutants } from "./store-embedder.js";
import { storeHostMutants } from "./store-host.js";
import { storeOwnMutants } from "./store-own.js";

export const storeMutants: readonly Mutant[] = [
  ...storeBatchMutants,
  ...storeOwnMutants,
  ...storeEmbedderMutants,
  ...storeHostMutants,
];
