import { randomUUID } from "node:crypto";
import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";

/** Progress of an import: all lines up to `line` are stored, or counted as failed. */
export interface ImportProgress {
  /** Part of the request ids, which makes resent batches idempotent. */
  readonly run: string;
  /** Detects whether the file has changed. */
  readonly file: { readonly sizeBytes: number; readonly modifiedMs: number };
  readonly line: number;
  readonly stored: number;
  readonly failed: Readonly<Record<string, number>>;
}

function progressPath(path: string): string {
  return `${path}.membus-import`;
}

/**
 * Returns the progress of an interrupted import if the file is unchanged. Otherwise saves and returns a new
 * one.
 */
export async function beginProgress(path: string): Promise<ImportProgress> {
  const { size, mtimeMs } = await stat(path);
  const file = { sizeBytes: size, modifiedMs: mtimeMs };
  const interrupted = await readProgress(path);
  if (interrupted?.file.sizeBytes === size && interrupted.file.modifiedMs === mtimeMs) return interrupted;
  const beginning = { run: randomUUID(), file, line: 0, stored: 0, failed: {} };
  await saveProgress(path, beginning);
  return beginning;
}

async function readProgress(path: string): Promise<ImportProgress | undefined> {
  try {
    return JSON.parse(await readFile(progressPath(path), "utf8")) as ImportProgress;
  } catch {
    return undefined;
  }
}

export async function saveProgress(path: string, progress: ImportProgress): Promise<void> {
  const target = progressPath(path);
  await writeFile(`${target}.new`, JSON.stringify(progress));
  await rename(`${target}.new`, target);
}

export async function clearProgress(path: string): Promise<void> {
  await rm(progressPath(path), { force: true });
}
