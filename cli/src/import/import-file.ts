import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { MemoryClient, StoreResult } from "@membus/agent-client";
import { isJsonObject, type StoreEntry } from "@membus/protocol";
import { type ImportProgress, readProgress, saveProgress } from "./import-progress.js";

const BATCH_ENTRIES = 100;

/** One line of the file: an entry, or why it is none. */
interface ImportLine {
  readonly line: number;
  readonly bytes: number;
  readonly entry?: StoreEntry;
}

export interface ImportReport extends ImportProgress {
  /** The first failure of each kind. */
  readonly examples: Readonly<Record<string, { readonly line: number; readonly message: string }>>;
}

export interface ImportOptions {
  /** Fields of every entry that does not have them itself. */
  readonly defaults: Readonly<Record<string, unknown>>;
  onProgress(progress: ImportProgress, bytesRead: number): void;
}

/** Stores the entries of a JSONL file in order, going on where an earlier run stopped. A bad line fails alone. */
export async function importFile(
  client: MemoryClient,
  path: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const examples: Record<string, { line: number; message: string }> = {};
  let progress = await readProgress(path);
  let bytesRead = 0;
  for await (const batch of readBatches(path, options.defaults)) {
    bytesRead += batch.reduce((sum, line) => sum + line.bytes, 0);
    const last = batch.at(-1)!.line;
    if (last <= progress.line) continue;
    progress = await storeBatch(
      client,
      batch.filter(({ line }) => line > progress.line),
      progress,
      examples,
    );
    await saveProgress(path, progress);
    options.onProgress(progress, bytesRead);
  }
  return { ...progress, examples };
}

async function* readBatches(path: string, defaults: object): AsyncGenerator<ImportLine[]> {
  let batch: ImportLine[] = [];
  let number = 0;
  for await (const text of createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number++;
    const bytes = Buffer.byteLength(text) + 1;
    if (text.trim() === "") continue;
    batch.push({ line: number, bytes, ...parseLine(text, defaults) });
    if (batch.length === BATCH_ENTRIES) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function parseLine(text: string, defaults: object): { entry?: StoreEntry } {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? { entry: { ...defaults, ...value } as StoreEntry } : {};
  } catch {
    return {};
  }
}

async function storeBatch(
  client: MemoryClient,
  batch: readonly ImportLine[],
  progress: ImportProgress,
  examples: Record<string, { line: number; message: string }>,
): Promise<ImportProgress> {
  const failed: Record<string, number> = { ...progress.failed };
  const fail = (code: string, line: number, message: string) => {
    failed[code] = (failed[code] ?? 0) + 1;
    examples[code] ??= { line, message };
  };
  const readable = batch.filter((line) => line.entry !== undefined);
  for (const { line, entry } of batch) if (entry === undefined) fail("parse_error", line, "no JSON object");
  const result = await storeReadable(client, readable);
  for (const { index, code, message } of result.errors) fail(code, readable[index]!.line, message);
  return { ...progress, line: batch.at(-1)!.line, stored: progress.stored + result.receipts.length, failed };
}

async function storeReadable(
  client: MemoryClient,
  lines: readonly ImportLine[],
): Promise<Pick<StoreResult, "errors" | "receipts">> {
  if (lines.length === 0) return { errors: [], receipts: [] };
  return client.store(lines.map(({ entry }) => entry!));
}
