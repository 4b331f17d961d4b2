import type { Log, LogRecovery } from "@membus/disk";
import { type Clock, MemoryError } from "@membus/protocol";
import type { FolderManifest } from "../place/index.js";
import type { Storage } from "../storage.js";
import type { Backlog } from "./backlog.js";
import type { ErasureTracker } from "./erasure-tracker.js";
import { LogTime } from "./log-time.js";
import type { OperationMemory } from "./operation-memory.js";
import { decodeHead, latestTime, type OperationStamp, rowIdOf } from "./record.js";

export interface RecoveryParts {
  readonly storage: Storage;
  readonly backlog: Backlog;
  readonly operations: OperationMemory;
  readonly erasure: ErasureTracker;
  readonly clock: Clock;
  /** Whether the storage holds any row. */
  readonly hasStored: boolean;
  readonly acceptLoss: boolean;
  /** Called with every written scope, the latest last. */
  written(scope: string): void;
  openLog(recovery: LogRecovery): Promise<Log>;
}

export interface Recovered {
  readonly log: Log;
  /** Storage has everything up to this record. */
  readonly flushedSeq: number;
  /** Unix seconds. No revision on disk is later, and it may be ahead of the clock. */
  readonly newestAt: number;
}

/**
 * Opens the log and reads it. Records that are not in storage go to the backlog, and replies to the operation
 * memory. Rows of an incomplete flush are removed from storage, because they are flushed again.
 */
export async function recover(parts: RecoveryParts, manifest: FolderManifest): Promise<Recovered> {
  const { storage, backlog, operations, erasure } = parts;
  const { keeper, isLost, facts: marker } = manifest;
  const openedAt = parts.clock.now();
  let { newestAt } = marker;
  let storedSeq = 0;
  const logTime = new LogTime();
  for (const scope of marker.scopes) parts.written(scope);
  const onRecord = (seq: number, payload: Uint8Array): void => {
    // The log may return only the start of a stored record.
    const { op, at, scope, newestForgotten, isStored, read } = decodeHead(payload);
    // A record of a process with a clock ahead of this one is treated as new. Its times would pass too late.
    const age = Math.min(at, openedAt);
    parts.written(scope);
    if (newestForgotten > 0) erasure.addForget(seq, newestForgotten, age);
    // A reply that was logged again has its former time.
    const elapsedS = op?.age === undefined ? logTime.of(at) : logTime.elapsedS;
    if (op && !isOutdated(op, operations))
      operations.remember(op, age, { seq }, op.done, elapsedS - (op.age ?? 0));
    // Flushed records are covered by the marker's time, and storage has their rows.
    if (seq <= marker.flushedSeq) return;
    if (isStored) {
      // Only in a folder that has lost its marker. All earlier records are stored, too.
      storedSeq = seq;
      backlog.flushed(seq);
      newestAt = Math.max(newestAt, at);
      return;
    }
    const record = read();
    newestAt = Math.max(newestAt, latestTime(record));
    backlog.add(seq, record);
  };
  // Storage has rows of the records up to the marker, so their sequence numbers are never reused.
  const open = (nextSeqMin: number) => parts.openLog({ nextSeqMin, onRecord, keeper });
  let log = await open(marker.flushedSeq + 1);
  if (isLost && parts.hasStored && log.nextSeq === 1) {
    await log.close();
    if (!parts.acceptLoss) throw missingManifestError();
    log = await open(unusedSeq(parts.clock));
  }
  operations.shift(parts.clock.now() - logTime.elapsedS);
  try {
    // Without a marker all records of the log are flushed again. The log keeps every record that is not in
    // storage.
    const flushedSeq = isLost ? Math.max(log.stats.firstSeq - 1, storedSeq) : marker.flushedSeq;
    if (backlog.recordCount > 0) {
      await storage.removeFrom(rowIdOf(flushedSeq + 1, 0), [...backlog.scopes]);
    }
    return { log, flushedSeq, newestAt };
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Returns whether a slice of a forget was logged again after later records of the forget. */
function isOutdated(op: OperationStamp, operations: OperationMemory): boolean {
  return op.age !== undefined && !op.done && operations.findById(op)?.digest === op.digest;
}

function missingManifestError(): MemoryError {
  const message =
    "the folder is incomplete: its log and folder.json are missing. Entries that were not flushed to " +
    "storage would be lost. Restore the files, or open the folder without them using --accept-loss";
  return new MemoryError("runtime_error", message, { reason: "folder_incomplete", remedy: "--accept-loss" });
}

/**
 * Returns a sequence number above every number in storage: the log never wrote a thousand records per second
 * since 1970.
 */
function unusedSeq(clock: Clock): number {
  return Math.ceil(clock.now() * 1_000);
}
