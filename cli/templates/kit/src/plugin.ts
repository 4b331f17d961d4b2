import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type DurableParts, KitPlugin, openFileLog } from "@membus/plugin-kit";
import { MemoryError, type MemoryPlugin, type PluginServices } from "@membus/protocol";
import { lockDirectory } from "./directory-lock.js";
import { FileStorage } from "./file-storage.js";

const DIMENSIONS_WITHOUT_EMBEDDER = 128;

/**
 * What `membus-conformance`, and a host, call to get an instance; `options` are those of its settings. The kit does
 * everything but keep the rows.
 */
export function createPlugin(options: Readonly<Record<string, unknown>> = {}): MemoryPlugin {
  const [unknown] = Object.keys(options);
  if (unknown !== undefined) throw new TypeError(`plugin-name has no option \`${unknown}\``);
  return new KitPlugin({ name: "plugin-name", version: "0.1.0", durable: openDirectory });
}

async function openDirectory(services: PluginServices): Promise<DurableParts> {
  const directory = services.dataDirectory;
  if (directory === undefined) throw new MemoryError("unavailable", "the plugin needs a data directory");
  await mkdir(directory, { recursive: true });
  const lock = await lockDirectory(directory);
  try {
    const dimensions = services.embedder?.dimensions ?? DIMENSIONS_WITHOUT_EMBEDDER;
    const storage = new FileStorage(join(directory, "rows"), dimensions);
    await storage.open();
    const openLog: DurableParts["openLog"] = ({ nextSeqMin, onRecord }) =>
      openFileLog(join(directory, "log"), { nextSeqMin }, { ...services, onRecord });
    return { storage, openLog, directory, release: lock.release };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
