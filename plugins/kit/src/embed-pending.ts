import type { Resident } from "./residency/resident.js";
import type { RowBody } from "./row.js";
import type { Tier } from "./tier.js";

const BATCH = 256;

/** A row that waits for its vector, with what is to be embedded. */
interface PendingRow {
  readonly keyHash: string;
  readonly rowId: number;
  readonly body: RowBody;
}

/** Embeds what has no vector yet in a tier in memory. When the embedder fails, words still find it. */
export async function embedPending(tier: Tier, resident: Resident): Promise<void> {
  const { vectors } = resident.partition;
  if (vectors === undefined) return;
  while (vectors.pendingCount > 0) {
    const pending = pendingRows(tier, resident, BATCH);
    if (pending.length === 0) return;
    try {
      const answers = await tier.indexer.embed(pending.map((row) => row.body));
      for (const [index, row] of pending.entries()) {
        const slot = resident.partition.slotOfRow(row.keyHash, row.rowId);
        if (slot !== undefined) vectors.fill(slot, answers[index] ?? null);
      }
    } catch (error) {
      tier.logger.warn({ err: error }, "embedder failed; vectors follow later");
      return;
    }
  }
}

/** Up to `max` live rows without a vector whose body is in RAM. */
export function pendingRows(tier: Tier, resident: Resident, max: number): PendingRow[] {
  const { columns, keys, vectors } = resident.partition;
  const rows: PendingRow[] = [];
  for (let slot = 0; slot < columns.count && rows.length < max; slot++) {
    if (columns.alive[slot] === 0 || !vectors?.isPending(slot)) continue;
    const rowId = columns.rowIds[slot]!;
    const body = tier.bodies.peek(rowId);
    if (body === undefined) continue;
    rows.push({ keyHash: keys.hashOf(slot), rowId, body: JSON.parse(body) as RowBody });
  }
  return rows;
}
