import type { EntryInput, MemoryClient } from "@membus/agent-client";
import { EntityGraph } from "@membus/agentic";
import type { Json, MemoryTier } from "@membus/protocol";
import { type ImportSource, readItems } from "./foreign-format.js";
import { batchesOf, type ImportItem } from "./import-item.js";
import { beginProgress, type ImportProgress, saveProgress } from "./import-progress.js";
import { appendRejected, clearRejected } from "./rejected-rows.js";
import { storeBatch } from "./store-batch.js";

/** First failure of an error code. */
interface Example {
  readonly file?: string;
  readonly line: number;
  readonly message: string;
}

export interface ImportReport extends ImportProgress {
  /** First failure of each error code in this run. */
  readonly examples: Readonly<Record<string, Example>>;
}

export interface ImportOptions {
  /** Fields added to entries that do not have them. */
  readonly defaults: Readonly<Record<string, Json>> & { readonly tier: string };
  onProgress(progress: ImportProgress, bytesRead: number): void;
}

/**
 * Stores the entries of a source in order, resuming where an earlier run stopped. Rejected rows are listed in
 * `<path>.rejected.jsonl`. Entries that exist are counted as `unchanged`.
 */
export async function importSource(
  client: MemoryClient,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportReport> {
  const { path } = source;
  const examples: Record<string, Example> = {};
  let progress = await beginProgress(source);
  if (progress.items === 0) await clearRejected(path);
  const resumeAt = progress.items;
  let [items, bytesRead] = [0, 0];
  for await (const batch of batchesOf(readItems(source))) {
    bytesRead += batch.reduce((sum, item) => sum + item.bytes, 0);
    items += batch.length;
    if (items <= resumeAt) continue;
    const complete = batch.map((item) => withDefaults(item, options.defaults));
    const { stored, existing, failures } = await storeBatch(client, complete, `${progress.run}.${items}`);
    const extended =
      source.from === "mcp" ? await extendEntities(client, existing, options.defaults.tier) : 0;
    const failed: Record<string, number> = { ...progress.failed };
    for (const { item, code, message } of failures) {
      failed[code] = (failed[code] ?? 0) + 1;
      const { line, file } = item;
      examples[code] ??= { ...(file !== undefined && { file }), line, message };
    }
    await appendRejected(path, failures);
    const unchanged = progress.unchanged + existing.length - extended;
    progress = { ...progress, items, stored: progress.stored + stored + extended, unchanged, failed };
    await saveProgress(path, progress);
    options.onProgress(progress, bytesRead);
  }
  return { ...progress, examples };
}

function withDefaults(item: ImportItem, defaults: Readonly<Record<string, Json>>): ImportItem {
  return item.entry === undefined ? item : { ...item, entry: { ...defaults, ...item.entry } as EntryInput };
}

/** Adds new observations to entities that exist. Returns the number of entities with an addition. */
async function extendEntities(
  client: MemoryClient,
  existing: readonly ImportItem[],
  tier: string,
): Promise<number> {
  const inputs = existing.flatMap(({ entry }) => {
    const { key, content } = entry as { key: { name?: string }; content: { observations?: string[] } };
    if (key.name === undefined || content.observations === undefined) return [];
    return [{ entityName: key.name, contents: content.observations }];
  });
  if (inputs.length === 0) return 0;
  const { namespace } = client;
  const graph = new EntityGraph(client, { namespace, tier: tier as MemoryTier, spelling: "exact" });
  const { added } = await graph.addObservations(inputs);
  return added.filter(({ addedObservations }) => addedObservations.length > 0).length;
}
