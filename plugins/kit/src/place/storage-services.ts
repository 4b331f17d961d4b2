import type { PluginServices } from "@membus/protocol/plugin";
import type { StorageContext } from "../storage.js";

/** Vector length in a host without an embedder. No vector is stored then. */
const DIMENSIONS_WITHOUT_EMBEDDER = 128;

/** Returns the context of a storage that depends only on its host. */
export function storageServices({
  embedder,
  clock,
  logger,
}: PluginServices): Pick<StorageContext, "dimensions" | "embedder" | "clock" | "logger"> {
  const { dimensions = DIMENSIONS_WITHOUT_EMBEDDER, id = "" } = embedder ?? {};
  return { dimensions, embedder: id, clock, logger };
}
