import { type Clock, type Logger, within } from "@membus/protocol";
import type { RowBody } from "../../row.js";
import type { FoundRow } from "../../search/index.js";
import type { BodyCache } from "../residency/body-cache.js";
import type { Resident } from "../residency/resident.js";
import { pauseMsOf } from "./background-pace.js";
import type { DocumentIndexer } from "./index-document.js";

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
export async function embedPending(parts: EmbeddingParts, resident: Resident): Promise<void> {
  if (resident.partition.pendingCount === 0 || parts.clock.now() < resident.embedAfter) return;
  resident.embedding ??= fillPending(parts, resident).finally(() => {
    resident.embedding = undefined;
  });
  await within(parts.clock, parts.embedWaitMs, resident.embedding);
}

/** Embeds pending rows until a complete pass embeds none, because slots may be renumbered concurrently. */
async function fillPending(parts: EmbeddingParts, resident: Resident): Promise<void> {
  const { partition } = resident;
  retryFailed(resident, parts.clock.now());
  try {
    let filled = 1;
    while (filled > 0 && partition.pendingCount > 0) {
      filled = 0;
      let from = 0;
      for (let pending = partition.pendingRows(BATCH, from); pending.length > 0; ) {
        filled += await fill(parts, resident, pending);
        from = pending.at(-1)!.slot + 1;
        pending = partition.pendingRows(BATCH, from);
      }
    }
  } catch (error) {
    resident.embedAfter = parts.clock.now() + pauseMsOf(error) / 1_000;
    parts.logger.warn({ err: error }, "embedder failed, entries will be embedded later");
  }
}

/** Embeds rows. @returns the number of rows that have a vector now, or are known to have none */
async function fill(
  parts: EmbeddingParts,
  resident: Resident,
  pending: readonly FoundRow[],
): Promise<number> {
  const { partition } = resident;
  const open = pending.filter(({ rowId }) => resident.failedUntil?.has(rowId) !== true);
  if (open.length === 0) return 0;
  const answers = await parts.indexer.embedMost(
    open.map(({ rowId }) => bodyOf(parts, rowId)),
    resident.id,
  );
  let filled = 0;
  for (const [index, { keyHash, rowId }] of open.entries()) {
    const [slot, vector] = [partition.slotOfRow(keyHash, rowId), answers[index]];
    if (vector === undefined) noteFailed(resident, rowId, parts.clock.now() + RETRY_S);
    if (slot === undefined || vector === undefined) continue;
    partition.vectors!.fill(slot, vector);
    filled++;
  }
  return filled;
}

function noteFailed(resident: Resident, rowId: number, until: number): void {
  resident.failedUntil ??= new Map();
  resident.failedUntil.set(rowId, until);
}

function retryFailed(resident: Resident, now: number): void {
  for (const [rowId, until] of resident.failedUntil ?? [])
    if (until <= now) resident.failedUntil!.delete(rowId);
  if (resident.failedUntil?.size === 0) resident.failedUntil = undefined;
}

function bodyOf(parts: EmbeddingParts, rowId: number): RowBody {
  return JSON.parse(parts.bodies.peek(rowId)!) as RowBody;
}
