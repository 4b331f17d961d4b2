import { join } from "node:path";
import { readText, replaceFile } from "@membus/disk";

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
  const text = await readText(join(directory, FILE_NAME));
  return text === undefined ? { flushedSeq: 0, newestAt: 0, scopes: [] } : (JSON.parse(text) as FlushMarker);
}

/** Replaces the marker: after a crash there is the old one or the new one. */
export async function writeFlushMarker(directory: string, marker: FlushMarker): Promise<void> {
  await replaceFile(join(directory, FILE_NAME), JSON.stringify(marker));
}
