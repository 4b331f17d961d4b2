import type { Log } from "../log/log.js";
import type { LatestScopes } from "../residency/latest-scopes.js";
import type { Storage } from "../storage.js";
import type { Backlog } from "./backlog.js";
import type { FoldMarker } from "./fold-marker.js";
import type { OperationMemory } from "./operation-memory.js";
import { decodeHead, latestTime, rowIdOf } from "./record.js";

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
    latest,
  }: { log: Log; storage: Storage; backlog: Backlog; operations: OperationMemory; latest: LatestScopes },
  marker: FoldMarker,
): Promise<Recovered> {
  if (log.nextSeq <= marker.foldedSeq) {
    throw new TypeError(`open the log with nextSeqMin ${marker.foldedSeq + 1}, from readFoldMarker`);
  }
  let { newestAt } = marker;
  for (const scope of marker.scopes) latest.add(scope);
  await log.replay((seq, payload) => {
    const { op, at, scope, read } = decodeHead(payload);
    latest.add(scope);
    if (op) operations.remember(op, at, { seq }, op.done);
    // What is folded is no later than the marker says, and storage has its rows.
    if (seq <= marker.foldedSeq) return;
    const record = read();
    newestAt = Math.max(newestAt, latestTime(record));
    backlog.add(seq, record);
  });
  if (backlog.recordCount > 0) {
    await storage.removeFrom(rowIdOf(marker.foldedSeq + 1, 0), [...backlog.scopes]);
  }
  return { newestAt };
}
