import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { crc32 } from "node:zlib";
import { systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { calls } from "../../kit/test/kit-calls.js";
import { createLanceDbPlugin, type LanceDbPluginOptions } from "../src/index.js";

export interface Warning {
  readonly message: string;
  readonly fields: object;
}

/** Opens the tier of a directory. Warnings and errors go to `warnings`. */
export async function openFolder(
  directory: string,
  options: LanceDbPluginOptions = {},
  warnings: Warning[] = [],
  create: (options: LanceDbPluginOptions) => MemoryPlugin = createLanceDbPlugin,
): Promise<MemoryPlugin> {
  const plugin = create(options);
  const keep = (fields: object, message: string) => void warnings.push({ fields, message });
  await plugin.open!({
    tier: "episodic",
    clock: systemClock,
    logger: { debug() {}, info() {}, warn: keep, error: keep },
    dataDirectory: directory,
    notify() {},
  });
  return plugin;
}

/** Options for segments of one record, without automatic flushes. */
const SMALL = { log: { segmentBytes: 4_096 }, kit: { flushIdleMs: 3_600_000 } } as const;
const TENANTS = ["acme", "bravo"];

/**
 * Creates a folder with ten entries of each tenant in storage and ten only in the log, one segment each. Like
 * after a kill, it is a copy of the files of a running process.
 */
export async function killedFolder(directory: string, copy: string): Promise<void> {
  const plugin = await openFolder(directory, SMALL);
  for (const part of ["stored", "logged"]) {
    for (const tenant of TENANTS) {
      const { store } = calls({ plugin, clock: systemClock }, { tenant });
      for (let n = 0; n < 10; n++) await store([{ key: `${part} ${n}`, content: "x".repeat(5_000) }]);
    }
    if (part === "stored") await plugin.maintain!();
  }
  await cp(directory, copy, { recursive: true, filter: (path) => basename(path) !== "lock" });
  await plugin.close!();
}

/** Returns the number of entries of each tenant. */
export async function countOf(plugin: MemoryPlugin): Promise<number[]> {
  const counts: number[] = [];
  for (const tenant of TENANTS) {
    const { retrieve } = calls({ plugin, clock: systemClock }, { tenant });
    counts.push((await retrieve({ limit: 0 })).total);
  }
  return counts;
}

export async function segmentsOf(directory: string): Promise<string[]> {
  return (await readdir(join(directory, "log"))).filter((name) => name.endsWith(".log")).sort();
}

interface Facts {
  readonly parts: readonly { readonly rowCount: number }[];
}

/** Changes `folder.json` of a tier's folder, with the right checksum. */
export async function changeManifest(
  directory: string,
  change: (facts: Facts) => Facts & Record<string, unknown>,
): Promise<void> {
  const path = join(directory, "folder.json");
  const { checksum: _, ...facts } = JSON.parse(await readFile(path, "utf8"));
  const changed = change(facts);
  await writeFile(path, JSON.stringify({ ...changed, checksum: crc32(JSON.stringify(changed)) }));
}
