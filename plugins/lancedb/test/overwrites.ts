import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { calls } from "../../kit/test/kit-calls.js";
import { listFiles } from "./storage-fixture.js";

export interface Overwrites {
  /** Stores per key. */
  readonly count: number;
  readonly keyCount?: number;
  readonly contentBytes: number;
  /** Stores per key between two calls of `maintain`. */
  readonly maintainEvery: number;
}

/** Stores the same keys repeatedly, each time with other bytes. Returns the latest content of each. */
export async function overwrite(
  plugin: MemoryPlugin,
  { count, keyCount = 1, contentBytes, maintainEvery }: Overwrites,
): Promise<string[]> {
  const { store } = calls({ plugin, clock: systemClock });
  let contents: string[] = [];
  for (let n = 1; n <= count; n++) {
    contents = Array.from({ length: keyCount }, () => textOf(contentBytes));
    for (const [key, content] of contents.entries()) await store([{ key: `k${key}`, content }]);
    if (n % maintainEvery === 0) await plugin.maintain!();
  }
  return contents;
}

/** Returns a text that is one word and compresses to half its size. */
function textOf(sizeBytes: number): string {
  return randomBytes(sizeBytes / 2).toString("hex");
}

/** Returns the bytes of a folder's files by top-level entry. */
export async function bytesOnDisk(directory: string): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const file of await listFiles(directory)) {
    const [part = file] = file.split("/");
    const { size } = await stat(join(directory, file));
    sums[part] = (sums[part] ?? 0) + size;
  }
  return sums;
}
