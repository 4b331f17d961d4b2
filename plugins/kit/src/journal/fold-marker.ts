import { open, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "../log/directory.js";

/** How far storage has got, and the newest time on disk. May lag behind the truth, never run ahead of it. */
export interface FoldMarker {
  readonly foldedSeq: number;
  /** Unix seconds. */
  readonly newestAt: number;
  /** Ids of the scopes written last, the latest at the end; a few. */
  readonly scopes: readonly string[];
}

const FILE_NAME = "folded.json";

export async function readFoldMarker(directory: string): Promise<FoldMarker> {
  try {
    return JSON.parse(await readFile(join(directory, FILE_NAME), "utf8")) as FoldMarker;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { foldedSeq: 0, newestAt: 0, scopes: [] };
    throw error;
  }
}

/** Replaces the marker: after a crash there is the old one or the new one. */
export async function writeFoldMarker(directory: string, marker: FoldMarker): Promise<void> {
  const path = join(directory, FILE_NAME);
  await writeSynced(`${path}.new`, JSON.stringify(marker));
  await rename(`${path}.new`, path);
  await syncDirectory(dirname(path));
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
