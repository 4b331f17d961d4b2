import { type Clock, withTimeout } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { RowBody } from "../../row.js";
import type { FoundRow } from "../../search/index.js";
import type { BodyCache } from "../residency/body-cache.js";
import type { LoadedPartition } from "../residency/loaded-partition.js";
import type { DocumentIndexer } from "./index-document.js";
import { pauseMsOf } from "./rate-limiter.js";

const BATCH = 256;
/** Delay before texts are retried that the embedder failed to embed while it embedded others. Seconds. */
const RETRY_S = 5;

export interface EmbeddingParts {
  readonly indexer: DocumentIndexer;
  readonly bodies: BodyCache;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly embedWaitMs: number;
}

/**
 * Embeds pending entries of a tier in memory, and waits at most as long as a store. If the embedder fails or
 * needs more time, the entries are still found by words.
 */
export async function embedPending(parts: EmbeddingParts, loaded: LoadedPartition): Promise<void> {
  if (loaded.partition.pendingCount === 0 || parts.clock.now() < loaded.embedAfter) return;
  loaded.embedding ??= fillPending(parts, loaded).finally(() => {
    loaded.embedding = undefined;
  });
  await withTimeout(parts.clock, parts.embedWaitMs, loaded.embedding);
}

/** Embeds pending rows until a complete pass embeds none, because slots may be renumbered concurrently. */
async function fillPending(parts: EmbeddingParts, loaded: LoadedPartition): Promise<void> {
  const { partition } = loaded;
  retryFailed(loaded, parts.clock.now());
  try {
    let filled = 1;
    while (filled > 0 && partition.pendingCount > 0) {
      filled = 0;
      let from = 0;
      for (let pending = partition.pendingRows(BATCH, from); pending.length > 0; ) {
        filled += await fill(parts, loaded, pending);
        from = pending.at(-1)!.slot + 1;
        pending = partition.pendingRows(BATCH, from);
      }
    }
  } catch (error) {
    loaded.embedAfter = parts.clock.now() + pauseMsOf(error) / 1_000;
    parts.logger.warn({ err: error }, "embedder failed, entries will be embedded later");
  }
}

/** Embeds rows. @returns the number of rows that have a vector now, or are known to have none */
async function fill(
  parts: EmbeddingParts,
  loaded: LoadedPartition,
  pending: readonly FoundRow[],
): Promise<number> {
  const { partition } = loaded;
  const open = pending.filter(({ rowId }) => loaded.failedUntil?.has(rowId) !== true);
  if (open.length === 0) return 0;
  const answers = await parts.indexer.embedTolerant(
    open.map(({ rowId }) => bodyOf(parts, rowId)),
    loaded.id,
  );
  let filled = 0;
  for (const [index, { keyHash, rowId }] of open.entries()) {
    const [slot, vector] = [partition.slotOfRow(keyHash, rowId), answers[index]];
    if (vector === undefined) noteFailed(loaded, rowId, parts.clock.now() + RETRY_S);
    if (slot === undefined || vector === undefined) continue;
    partition.vectors!.fill(slot, vector);
    filled++;
  }
  return filled;
}

function noteFailed(loaded: LoadedPartition, rowId: number, until: number): void {
  loaded.failedUntil ??= new Map();
  loaded.failedUntil.set(rowId, until);
}

function retryFailed(loaded: LoadedPartition, now: number): void {
  for (const [rowId, until] of loaded.failedUntil ?? []) if (until <= now) loaded.failedUntil!.delete(rowId);
  if (loaded.failedUntil?.size === 0) loaded.failedUntil = undefined;
}

function bodyOf(parts: EmbeddingParts, rowId: number): RowBody {
  return JSON.parse(parts.bodies.peek(rowId)!) as RowBody;
}
