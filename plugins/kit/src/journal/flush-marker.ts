import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "./directory/durable-files.js";

/** How far storage has got, and the newest time on disk. May lag behind the truth, never run ahead of it. */
export interface FlushMarker {
  readonly flushedSeq: number;
  /** Unix seconds. */
  readonly newestAt: number;
  /** Ids of the scopes written last, the latest at the end; a few. */
  readonly scopes: readonly string[];
}

const FILE_NAME = "flushed.json";

export async function readFlushMarker(directory: string): Promise<FlushMarker> {
  try {
    return JSON.parse(await readFile(join(directory, FILE_NAME), "utf8")) as FlushMarker;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { flushedSeq: 0, newestAt: 0, scopes: [] };
    throw error;
  }
}

/** Replaces the marker: after a crash there is the old one or the new one. */
export async function writeFlushMarker(directory: string, marker: FlushMarker): Promise<void> {
  await replaceFile(join(directory, FILE_NAME), JSON.stringify(marker));
}
