import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ImportSource } from "./foreign-format.js";

/** Progress of an import: the first `items` items are stored, or counted as failed. */
export interface ImportProgress {
  /** Part of the request ids, which makes resent batches idempotent. */
  readonly run: string;
  /** Detects whether the source has changed. */
  readonly source: {
    readonly from: string;
    readonly sizeBytes: number;
    readonly modifiedMs: number;
    readonly order: number;
  };
  /** Detects whether the entries go to another memory. */
  readonly target: ImportTarget;
  readonly items: number;
  readonly stored: number;
  readonly unchanged: number;
  /** Number of entries of an export that have expired since. They are not stored. */
  readonly expired: number;
  readonly failed: Readonly<Record<string, number>>;
}

/** Memory that entries are imported into. */
export interface ImportTarget {
  /** Server and subject prefix. */
  readonly bus: string;
  readonly session: string;
  /** User of memories without one. */
  readonly user: string;
  readonly asAuthors: boolean;
  readonly tenant: string;
  readonly agent: string;
  readonly namespace: string;
  readonly tier: string;
}

/** Version of the order of items. A progress with another one counts other items. */
const ORDER = 2;

function progressPath(path: string): string {
  return `${resolve(path)}.membus-import`;
}

/**
 * Returns the progress of an interrupted import into the same memory if the source is unchanged. Otherwise
 * saves and returns a new one.
 */
export async function beginProgress(
  { path, from, files }: ImportSource,
  target: ImportTarget,
): Promise<ImportProgress> {
  const source = {
    from: from ?? "jsonl",
    sizeBytes: files.reduce((bytes, file) => bytes + file.sizeBytes, 0),
    modifiedMs: files.reduce((latest, { modifiedMs }) => Math.max(latest, modifiedMs), 0),
    order: ORDER,
  };
  const interrupted = await readProgress(path);
  const { source: earlier, target: into } = interrupted ?? {};
  if (isDeepStrictEqual([earlier, into], [source, target])) return interrupted!;
  const beginning = {
    run: randomUUID(),
    source,
    target,
    items: 0,
    stored: 0,
    unchanged: 0,
    expired: 0,
    failed: {},
  };
  await saveProgress(path, beginning);
  return beginning;
}

async function readProgress(path: string): Promise<ImportProgress | undefined> {
  try {
    const saved = JSON.parse(await readFile(progressPath(path), "utf8")) as ImportProgress;
    return { ...saved, expired: saved.expired ?? 0 };
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
