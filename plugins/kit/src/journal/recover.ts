import type { Log } from "../log/log.js";
import type { Storage } from "../storage.js";
import type { Backlog } from "./backlog.js";
import type { FoldMarker } from "./fold-marker.js";
import type { OperationMemory } from "./operation-memory.js";
import { decodeRecord, rowIdOf } from "./record.js";

export interface Recovered {
  readonly newestAt: number;
}

/**
 * Reads the log at open: what storage does not hold goes back to the backlog, every kept reply to the operation
 * memory. Rows that a fold wrote without getting to its end are taken away, since they are folded again.
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
  let { newestAt } = marker;
  await log.replay((seq, payload) => {
    const record = decodeRecord(payload);
    newestAt = Math.max(newestAt, record.at);
    if (record.op) operations.remember(record.op, record.at, { seq }, record.op.done);
    if (seq > marker.foldedSeq) backlog.add(seq, record);
  });
  if (backlog.recordCount > 0) {
    const scopes = [...backlog.scopes].filter((scope) => scope !== "");
    await storage.removeFrom(rowIdOf(marker.foldedSeq + 1, 0), scopes);
  }
  return { newestAt };
}
