import { randomUUID } from "node:crypto";
import type { AgentMemory, EntryInput } from "@membus/agent-client";
import { EntityGraph } from "@membus/agentic";
import { isMemoryError, type Json, type MemoryTier } from "@membus/protocol";
import { embedderOf } from "../export/export-plan.js";
import { type ImportSource, readItems } from "./foreign-format.js";
import { HostPositions } from "./host-positions.js";
import { batchesOf, type ImportItem } from "./import-item.js";
import { beginProgress, type ImportProgress, saveProgress } from "./import-progress.js";
import { appendRejected, clearRejected } from "./rejected-rows.js";
import { type BatchResult, type Failure, storeBatch, withCheckedMemory } from "./store-batch.js";

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
  /** Whether shared entries of an export are stored as their authors, which the server must permit. */
  readonly asAuthors?: boolean | undefined;
  /** Name of the bus. An interrupted import resumes only on the same one. */
  readonly bus: string;
  onProgress(progress: ImportProgress, bytesRead: number): void;
}

/**
 * Stores the entries of a source in order, resuming where an earlier run stopped. Rejected rows are listed in
 * `<path>.rejected.jsonl`. Entries that exist are counted as `unchanged`.
 */
export async function importSource(
  client: AgentMemory,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportReport> {
  const { path } = source;
  const examples: Record<string, Example> = {};
  const { tenant, agent, session, namespace } = client;
  const { bus, asAuthors = false, defaults } = options;
  const place = { bus, tenant, agent, session, namespace, tier: defaults.tier };
  let progress = await beginProgress(source, { ...place, user: source.user ?? "", asAuthors });
  if (progress.items === 0) await clearRejected(path);
  const resumeAt = progress.items;
  const embedders = await embeddersOf(client, source);
  const positions = new HostPositions(client);
  let [items, bytesRead] = [0, 0];
  for await (const batch of batchesOf(readItems(source))) {
    bytesRead += batch.reduce((sum, item) => sum + item.bytes, 0);
    items += batch.length;
    // The keys of stored records with positions must be known, so that later ones do not overwrite them.
    if (items <= resumeAt && batch[0]?.messages === undefined) continue;
    const usable = batch.map((item) => withCheckedMemory(client, withDefaults(item, options)));
    const placed = await positions.place(usable);
    if (items <= resumeAt) continue;
    const complete = placed.map((item) => withKnownVector(item, embedders));
    const written = await storeResumably(client, source, complete, { progress, items });
    const { stored, existing, expired, failures } =
      source.from === "mcp" ? await extendEntities(client, written, options.defaults.tier) : written;
    const failed: Record<string, number> = { ...progress.failed };
    for (const { item, code, message } of failures) {
      failed[code] = (failed[code] ?? 0) + 1;
      const { line, file } = item;
      examples[code] ??= { ...(file !== undefined && { file }), line, message };
    }
    await appendRejected(path, failures);
    const unchanged = progress.unchanged + existing.length;
    progress = {
      ...progress,
      items,
      stored: progress.stored + stored,
      unchanged,
      expired: progress.expired + expired,
      failed,
    };
    await saveProgress(path, progress);
    options.onProgress(progress, bytesRead);
  }
  return { ...progress, examples };
}

/**
 * Stores a batch. After a failure that may pass, the next import sends it with another request id, because the host
 * repeats its reply to the same one.
 */
async function storeResumably(
  client: AgentMemory,
  { path }: ImportSource,
  batch: readonly ImportItem[],
  { progress, items }: { readonly progress: ImportProgress; readonly items: number },
): Promise<BatchResult> {
  try {
    return await storeBatch(client, batch, `${progress.run}.${items}`);
  } catch (error) {
    if (isMemoryError(error) && error.retryable) await saveProgress(path, { ...progress, run: randomUUID() });
    throw error;
  }
}

function withDefaults({ author, ...rest }: ImportItem, { defaults, asAuthors }: ImportOptions): ImportItem {
  const item = { ...rest, ...(asAuthors === true && author !== undefined && { author }) };
  return item.entry === undefined ? item : { ...item, entry: { ...defaults, ...item.entry } as EntryInput };
}

/** Returns the ids of the embedders of the tiers of an export. */
async function embeddersOf(client: AgentMemory, { manifest }: ImportSource): Promise<Set<string>> {
  const tiers = Object.keys(manifest?.tiers ?? {}) as MemoryTier[];
  const ids = await Promise.all(tiers.map((tier) => embedderOf(client, tier)));
  return new Set(ids.filter((id) => id !== null));
}

/** Leaves out a vector of another embedder, because the host would reject the entry. It embeds the text. */
function withKnownVector(item: ImportItem, embedders: ReadonlySet<string>): ImportItem {
  const { embedding_model: model } = (item.entry ?? {}) as EntryInput;
  if (item.isExact !== true || model == null || embedders.has(model)) return item;
  const { embedding: _vector, embedding_model: _model, ...entry } = item.entry as EntryInput;
  return { ...item, entry };
}

/**
 * Adds new observations to entities that exist. Entities without news are unchanged. An entity that the host
 * refuses, for example because it became too large, fails.
 */
async function extendEntities(client: AgentMemory, result: BatchResult, tier: string): Promise<BatchResult> {
  const entities = new Map<string, { readonly item: ImportItem; readonly contents: readonly string[] }>();
  for (const item of result.existing) {
    const { key, content } = item.entry as { key: { name?: string }; content: { observations?: string[] } };
    if (key.name !== undefined && content.observations !== undefined) {
      entities.set(key.name, { item, contents: content.observations });
    }
  }
  if (entities.size === 0) return result;
  const { namespace } = client;
  const graph = new EntityGraph(client, { namespace, tier: tier as MemoryTier, spelling: "exact" });
  const failures: Failure[] = [];
  const { added } = await graph.addObservations(
    [...entities].map(([entityName, { contents }]) => ({ entityName, contents })),
    {
      onRefused(name, error) {
        if (error.retryable) throw error;
        failures.push({ item: entities.get(name)!.item, code: error.code, message: error.message });
      },
    },
  );
  const failed = new Set(failures.map(({ item }) => item));
  const extended = new Set(
    added.flatMap(({ entityName, addedObservations }) =>
      addedObservations.length > 0 ? [entities.get(entityName)!.item] : [],
    ),
  );
  for (const item of failed) extended.delete(item);
  return {
    stored: result.stored + extended.size,
    existing: result.existing.filter((item) => !extended.has(item) && !failed.has(item)),
    expired: result.expired,
    failures: [...result.failures, ...failures],
  };
}
