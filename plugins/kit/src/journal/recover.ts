import type { Log } from "../log/log.js";
import type { Storage } from "../storage.js";
import type { Backlog } from "./backlog.js";
import type { FoldMarker } from "./fold-marker.js";
import type { OperationMemory } from "./operation-memory.js";
import { decodeRecord, latestTime, rowIdOf } from "./record.js";

export interface Recovered {
  /** Unix seconds: nothing on disk is later. */
  readonly newestAt: number;
}

/**
 * Reads the log at open: what storage does not hold goes back to the backlog, every kept reply to the operation
 * memory. Rows that a fold wrote without getting to its end are taken away, since they are folded again.
 * @throws {TypeError} when the log would give out sequence numbers again that storage has rows of.
 */
export async function recover(
  {
    log,
    storage,
    backlog,
    operations,
  }: { log: Log; storage: Storage; backlog: Backlog; operations: OperationMemory },
  marker: FoldMarker,
): Promise<Recovered> {
  if (log.nextSeq <= marker.foldedSeq) {
    throw new TypeError(`open the log with nextSeqMin ${marker.foldedSeq + 1}, from readFoldMarker`);
  }
  let { newestAt } = marker;
  await log.replay((seq, payload) => {
    const record = decodeRecord(payload);
    newestAt = Math.max(newestAt, latestTime(record));
    if (record.op) operations.remember(record.op, record.at, { seq }, record.op.done);
    if (seq > marker.foldedSeq) backlog.add(seq, record);
  });
  if (backlog.recordCount > 0) {
    await storage.removeFrom(rowIdOf(marker.foldedSeq + 1, 0), [...backlog.scopes]);
  }
  return { newestAt };
}
