import { within } from "@membus/protocol";
import type { FoundRow } from "../../search/partition/rows-that.js";
import { pauseMsOf } from "../../pause.js";
import type { Resident } from "../residency/resident.js";
import type { RowBody } from "../../row.js";
import type { Tier } from "../../tier.js";

const BATCH = 256;
/** When texts are tried again at which the embedder failed while it answered others. */
const RETRY_S = 5;

/**
 * Embeds what has no vector yet in a tier in memory, waiting no longer than a store would. When the embedder fails or
 * needs more time, words still find it.
 */
export async function embedPending(tier: Tier, resident: Resident): Promise<void> {
  if (resident.partition.pendingCount === 0 || tier.clock.now() < resident.embedAfter) return;
  resident.embedding ??= fillPending(tier, resident).finally(() => {
    resident.embedding = undefined;
  });
  await within(tier.clock, tier.embedWaitMs, resident.embedding);
}

/** Looks for what is pending until a look through all of it comes to nothing: slots may move meanwhile. */
async function fillPending(tier: Tier, resident: Resident): Promise<void> {
  const { partition, failedUntil } = resident;
  const now = tier.clock.now();
  for (const [rowId, until] of failedUntil) if (until <= now) failedUntil.delete(rowId);
  try {
    let filled = 1;
    while (filled > 0 && partition.pendingCount > 0) {
      filled = 0;
      let from = 0;
      for (let pending = partition.pendingRows(BATCH, from); pending.length > 0; ) {
        filled += await fill(tier, resident, pending);
        from = pending.at(-1)!.slot + 1;
        pending = partition.pendingRows(BATCH, from);
      }
    }
  } catch (error) {
    resident.embedAfter = tier.clock.now() + pauseMsOf(error) / 1_000;
    tier.logger.warn({ err: error }, "embedder failed; vectors follow later");
  }
}

/** @returns how many have got their vectors, or are known to have none. */
async function fill(tier: Tier, resident: Resident, pending: readonly FoundRow[]): Promise<number> {
  const { partition, failedUntil } = resident;
  const open = pending.filter(({ rowId }) => !failedUntil.has(rowId));
  if (open.length === 0) return 0;
  const answers = await tier.indexer.embedMost(open.map(({ rowId }) => bodyOf(tier, rowId)));
  let filled = 0;
  for (const [index, { keyHash, rowId }] of open.entries()) {
    const [slot, vector] = [partition.slotOfRow(keyHash, rowId), answers[index]];
    if (vector === undefined) failedUntil.set(rowId, tier.clock.now() + RETRY_S);
    if (slot === undefined || vector === undefined) continue;
    partition.vectors!.fill(slot, vector);
    filled++;
  }
  return filled;
}

function bodyOf(tier: Tier, rowId: number): RowBody {
  return JSON.parse(tier.bodies.peek(rowId)!) as RowBody;
}
