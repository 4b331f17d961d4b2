import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KitOptions, KitPlugin } from "@membus/plugin-kit";
import { type Clock, systemClock } from "@membus/protocol";
import { ScriptedEmbedder } from "../../../kit/test/scripted-embedder.js";
import { createLanceDbPlugin } from "../../src/index.js";
import type { Warning } from "../folder-fixture.js";

/** LanceDB that wrote the archive. */
export const VERSION = "0.37.1";

/** Archive of a tier's folder, written by `write-folder.ts`. */
export const ARCHIVE = join(dirname(fileURLToPath(import.meta.url)), `lancedb-${VERSION}.tar.gz`);

/** Opens the tier of a folder, with the embedder of the archive. Warnings and errors go to `warnings`. */
export async function openTier(
  dataDirectory: string,
  kit: KitOptions = {},
  { clock = systemClock, warnings = [] }: { readonly clock?: Clock; readonly warnings?: Warning[] } = {},
): Promise<KitPlugin> {
  const plugin = createLanceDbPlugin({ kit: { flushIdleMs: 3_600_000, ...kit } });
  const keep = (fields: object, message: string) => void warnings.push({ fields, message });
  await plugin.open({
    tier: "episodic",
    clock,
    logger: { debug() {}, info() {}, warn: keep, error: keep },
    dataDirectory,
    embedder: new ScriptedEmbedder("scripted/3", 3),
    notify() {},
  });
  return plugin;
}
