import type { SlotColumns } from "../partition/slot-columns.js";
import type { Resident } from "../residency/resident.js";
import type { Tier } from "../tier.js";

/** The read from storage with which the rest is read, too: who asks once may not ask again. */
const READ = 2;
/** What one partition may take of the cache by that: with the default's 128 MiB, about 10,000 entries of 300 characters. */
const CACHE_PART = 1 / 32;
const ROWS_A_STEP = 1_000;

/**
 * Tells that bodies of a partition had to be read from storage, which is most of the time that a query takes. The others
 * of a small one are read behind the requests, so that the next query finds them in RAM.
 */
export function readAhead(tier: Tier, resident: Resident): void {
  resident.bodyReads++;
  if (resident.bodyReads !== READ) return;
  const { columns } = resident.partition;
  let bytes = 0;
  for (let slot = 0; slot < columns.count; slot++) bytes += columns.alive[slot]! * columns.bodyBytes[slot]!;
  if (bytes > tier.bodies.bytesMax * CACHE_PART) return;
  // Whoever asks for a body that cannot be read is told why.
  readAll(tier, resident).catch(() => undefined);
}

async function readAll(tier: Tier, resident: Resident): Promise<void> {
  const { columns } = resident.partition;
  for (let from = 0; from < columns.count; from += ROWS_A_STEP) {
    if (tier.registry.peek(resident.id) !== resident) return;
    await tier.bodies.get(resident.id, liveRowIds(columns, from, from + ROWS_A_STEP));
  }
}

/** Looked up just before they are read: what went away must not come back into the cache. */
function liveRowIds({ alive, count, rowIds }: SlotColumns, from: number, end: number): number[] {
  const live: number[] = [];
  for (let slot = from; slot < Math.min(end, count); slot++) if (alive[slot] === 1) live.push(rowIds[slot]!);
  return live;
}
