import type { Clock } from "@membus/protocol";
import { type Journal, rowIdOf } from "../journal/index.js";
import type { UsageTracker } from "../quotas/index.js";
import type { Row } from "../row.js";
import { countAdded } from "./count-rows.js";
import type { BodyCache } from "./residency/body-cache.js";
import type { LoadedPartition } from "./residency/loaded-partition.js";

export interface ReplaceParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly bodies: BodyCache;
  readonly usageTracker: UsageTracker | undefined;
}

/** Returns the row in a slot, without its terms and its vector. */
export function rowAt(
  { partition: { columns, keys } }: LoadedPartition,
  slot: number,
  body: string,
): Omit<Row, "terms" | "analyzer" | "embedder" | "vector"> {
  return {
    keyHash: keys.hashOf(slot),
    group: columns.groups[slot]!,
    facets: columns.facets.at(slot),
    body,
    ...columns.numbersAt(slot),
  };
}

/**
 * Logs and applies complete rows with new row ids. They keep their revisions.
 * @param replaced row ids of the versions that they replace.
 */
export async function replaceRows(
  { journal, clock, bodies, usageTracker }: ReplaceParts,
  loaded: LoadedPartition,
  rows: readonly Row[],
  replaced: readonly number[],
): Promise<void> {
  await journal.append({
    build: (seq) => ({
      at: clock.now(),
      scope: loaded.id,
      rows: rows.map((row, index) => ({ ...row, rowId: rowIdOf(seq, index) })),
      removed: replaced,
    }),
    stage(record, seq) {
      for (const row of record.rows) {
        loaded.stage(row.keyHash, { seq, row });
        loaded.reserveRevision(row.revision);
      }
    },
    apply(record, seq) {
      for (const row of record.rows) {
        bodies.pin(row.rowId, row.body);
        countAdded(usageTracker, loaded, row);
        loaded.partition.add(row);
        loaded.unstage(row.keyHash, seq);
      }
      for (const rowId of record.removed) bodies.drop(rowId);
    },
  });
}
