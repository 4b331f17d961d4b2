import type { Log, LogRecovery } from "@membus/disk";
import { type Clock, MemoryError } from "@membus/protocol";
import type { Storage } from "../storage.js";
import type { Backlog } from "./backlog.js";
import type { Erasure } from "./erasure.js";
import type { FolderManifest } from "./folder-manifest.js";
import type { OperationMemory } from "./operation-memory.js";
import { decodeHead, latestTime, rowIdOf } from "./record.js";

export interface RecoveryParts {
  readonly storage: Storage;
  readonly backlog: Backlog;
  readonly operations: OperationMemory;
  readonly erasure: Erasure;
  readonly clock: Clock;
  /** Whether storage holds anything. */
  readonly hasStored: boolean;
  readonly acceptLoss: boolean;
  /** Hears of the scopes that were written, the latest last. */
  written(scope: string): void;
  openLog(recovery: LogRecovery): Promise<Log>;
}

export interface Recovered {
  readonly log: Log;
  /** Storage has everything up to this record. */
  readonly flushedSeq: number;
  /** Unix seconds: nothing on disk is later. */
  readonly newestAt: number;
}

/**
 * Opens the log and reads it: what storage does not hold goes back to the backlog, every kept reply to the operation
 * memory. Rows that a flush wrote without getting to its end are taken away, since they are flushed again.
 */
export async function recover(parts: RecoveryParts, manifest: FolderManifest): Promise<Recovered> {
  const { storage, backlog, operations, erasure } = parts;
  const { keeper, isLost, facts: marker } = manifest;
  let { newestAt } = marker;
  let storedSeq = 0;
  for (const scope of marker.scopes) parts.written(scope);
  const onRecord = (seq: number, payload: Uint8Array): void => {
    // Of a record that storage has, perhaps only the beginning is there.
    const { op, at, scope, newestForgotten, isStored, read } = decodeHead(payload);
    parts.written(scope);
    if (newestForgotten > 0) erasure.forgot(seq, newestForgotten, at);
    if (op) operations.remember(op, at, { seq }, op.done);
    // What is flushed is no later than the marker says, and storage has its rows.
    if (seq <= marker.flushedSeq) return;
    if (isStored) {
      // In a folder that has lost its marker: all before it is stored, too.
      storedSeq = seq;
      backlog.flushed(seq);
      newestAt = Math.max(newestAt, at);
      return;
    }
    const record = read();
    newestAt = Math.max(newestAt, latestTime(record));
    backlog.add(seq, record);
  };
  // Storage has rows of the records up to the marker's: their numbers are never given out again.
  const open = (nextSeqMin: number) => parts.openLog({ nextSeqMin, onRecord, keeper });
  let log = await open(marker.flushedSeq + 1);
  if (isLost && parts.hasStored && log.nextSeq === 1) {
    await log.close();
    if (!parts.acceptLoss) throw nothingKnown();
    log = await open(unusedSeq(parts.clock));
  }
  try {
    // Without a marker everything that the log holds is flushed again: it lets go of nothing that storage has not.
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

function nothingKnown(): MemoryError {
  const message =
    "the folder is incomplete: its log is missing, and folder.json, which says what it held. Lost would be what was not " +
    "in storage yet. Put them back, or open it without with --accept-loss";
  return new MemoryError("runtime_error", message, { reason: "folder_incomplete", remedy: "--accept-loss" });
}

/** Above any that storage can have rows of: nobody has written a thousand records a second since 1970. */
function unusedSeq(clock: Clock): number {
  return Math.ceil(clock.now() * 1_000);
}
