import { within } from "@membus/protocol";
import { pauseMsOf } from "./pause.js";
import type { Resident } from "./residency/resident.js";
import type { RowBody } from "./row.js";
import type { Tier } from "./tier.js";

const BATCH = 256;

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

async function fillPending(tier: Tier, resident: Resident): Promise<void> {
  const { partition } = resident;
  try {
    for (let from = 0; partition.pendingCount > 0; ) {
      const pending = partition.pendingRows(BATCH, from);
      if (pending.length === 0 && from === 0) return;
      // Slots may have moved: what is left is looked for from the beginning.
      from = pending.length < BATCH ? 0 : pending.at(-1)!.slot;
      const answers = await tier.indexer.embed(pending.map(({ rowId }) => bodyOf(tier, rowId)));
      for (const [index, { keyHash, rowId }] of pending.entries()) {
        const slot = partition.slotOfRow(keyHash, rowId);
        if (slot !== undefined) partition.vectors!.fill(slot, answers[index]!);
      }
    }
  } catch (error) {
    resident.embedAfter = tier.clock.now() + pauseMsOf(error) / 1_000;
    tier.logger.warn({ err: error }, "embedder failed; vectors follow later");
  }
}

function bodyOf(tier: Tier, rowId: number): RowBody {
  return JSON.parse(tier.bodies.peek(rowId)!) as RowBody;
}
