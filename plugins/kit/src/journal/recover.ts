import type { Log, LogRecovery } from "@membus/disk";
import type { Storage } from "../storage.js";
import type { Backlog } from "./backlog.js";
import type { FlushMarker } from "./flush-marker.js";
import type { OperationMemory } from "./operation-memory.js";
import { decodeHead, latestTime, rowIdOf } from "./record.js";

export interface RecoveryParts {
  readonly storage: Storage;
  readonly backlog: Backlog;
  readonly operations: OperationMemory;
  /** Hears of the scopes that were written, the latest last. */
  written(scope: string): void;
  openLog(recovery: LogRecovery): Promise<Log>;
}

export interface Recovered {
  readonly log: Log;
  /** Unix seconds: nothing on disk is later. */
  readonly newestAt: number;
}

/**
 * Opens the log and reads it: what storage does not hold goes back to the backlog, every kept reply to the operation
 * memory. Rows that a flush wrote without getting to its end are taken away, since they are flushed again.
 */
export async function recover(parts: RecoveryParts, marker: FlushMarker): Promise<Recovered> {
  const { storage, backlog, operations } = parts;
  let { newestAt } = marker;
  for (const scope of marker.scopes) parts.written(scope);
  const onRecord = (seq: number, payload: Uint8Array): void => {
    // Of a record that storage has, perhaps only the beginning is there.
    const { op, at, scope, read } = decodeHead(payload);
    parts.written(scope);
    if (op) operations.remember(op, at, { seq }, op.done);
    // What is flushed is no later than the marker says, and storage has its rows.
    if (seq <= marker.flushedSeq) return;
    const record = read();
    newestAt = Math.max(newestAt, latestTime(record));
    backlog.add(seq, record);
  };
  // Storage has rows of the records up to the marker's: their numbers are never given out again.
  const log = await parts.openLog({ nextSeqMin: marker.flushedSeq + 1, onRecord });
  try {
    if (backlog.recordCount > 0) {
      await storage.removeFrom(rowIdOf(marker.flushedSeq + 1, 0), [...backlog.scopes]);
    }
    return { log, newestAt };
  } catch (error) {
    await log.close();
    throw error;
  }
}
