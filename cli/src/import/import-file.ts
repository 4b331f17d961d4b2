import type { EntryInput, MemoryClient } from "@membus/agent-client";
import type { Json } from "@membus/protocol";
import { beginProgress, type ImportProgress, saveProgress } from "./import-progress.js";
import { type ImportLine, readBatches } from "./read-batches.js";

export interface ImportReport extends ImportProgress {
  /** First failure of each error code in this run. */
  readonly examples: Readonly<Record<string, { readonly line: number; readonly message: string }>>;
}

export interface ImportOptions {
  /** Fields added to entries that do not have them. */
  readonly defaults: Readonly<Record<string, Json>>;
  onProgress(progress: ImportProgress, bytesRead: number): void;
}

interface Failure {
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

interface BatchResult {
  readonly stored: number;
  readonly failures: readonly Failure[];
}

/**
 * Stores the entries of a JSONL file in order, resuming where an earlier run stopped. An invalid line fails
 * without affecting others.
 */
export async function importFile(
  client: MemoryClient,
  path: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const examples: Record<string, { line: number; message: string }> = {};
  let progress = await beginProgress(path);
  let bytesRead = 0;
  for await (const batch of readBatches(path, options.defaults)) {
    bytesRead += batch.reduce((sum, line) => sum + line.bytes, 0);
    const lastLine = batch.at(-1)!.line;
    if (lastLine <= progress.line) continue;
    const { stored, failures } = await storeBatch(client, batch, `${progress.run}.${lastLine}`);
    const failed: Record<string, number> = { ...progress.failed };
    for (const { line, code, message } of failures) {
      failed[code] = (failed[code] ?? 0) + 1;
      examples[code] ??= { line, message };
    }
    progress = { ...progress, line: lastLine, stored: progress.stored + stored, failed };
    await saveProgress(path, progress);
    options.onProgress(progress, bytesRead);
  }
  return { ...progress, examples };
}

async function storeBatch(
  client: MemoryClient,
  batch: readonly ImportLine[],
  requestId: string,
): Promise<BatchResult> {
  const unreadable = batch.flatMap(({ line, problem }) =>
    problem === undefined ? [] : [{ line, code: "parse_error", message: problem }],
  );
  const readable = batch.filter(({ entry }) => entry !== undefined);
  const { stored, failures } = await storeReadable(client, readable, requestId);
  return { stored, failures: [...unreadable, ...failures] };
}

async function storeReadable(
  client: MemoryClient,
  lines: readonly ImportLine[],
  id: string,
): Promise<BatchResult> {
  if (lines.length === 0) return { stored: 0, failures: [] };
  try {
    const entries = lines.map(({ entry }) => entry as EntryInput);
    const { receipts, errors } = await client.store(entries, { id });
    const failures = errors.map(({ index, code, message }) => ({ line: lines[index]!.line, code, message }));
    return { stored: receipts.length, failures };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    if (lines.length === 1) return { stored: 0, failures: [refusedByClient(lines[0]!, error)] };
    return storeOneByOne(client, lines, id);
  }
}

/** Stores each line separately, because the client rejects a whole batch for one invalid entry. */
async function storeOneByOne(
  client: MemoryClient,
  lines: readonly ImportLine[],
  id: string,
): Promise<BatchResult> {
  const failures: Failure[] = [];
  let stored = 0;
  for (const line of lines) {
    const result = await storeReadable(client, [line], `${id}.${line.line}`);
    stored += result.stored;
    failures.push(...result.failures);
  }
  return { stored, failures };
}

function refusedByClient({ line }: ImportLine, { message }: TypeError): Failure {
  return { line, code: "schema_violation", message: message.replace(/^entries\[0\] /, "") };
}
