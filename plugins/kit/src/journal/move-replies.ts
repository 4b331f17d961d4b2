import type { Log } from "@membus/disk";
import { type Clock, isMemoryError } from "@membus/protocol";
import type { Journal } from "./journal.js";
import type { OperationMemory } from "./operation-memory.js";
import { decodeRecord, type LogRecord, type OperationResult } from "./record.js";

/** Replies moved concurrently. They share a group of the log. */
const REPLIES_AT_ONCE = 256;

export interface MoveRepliesParts {
  readonly log: Pick<Log, "read">;
  readonly journal: Journal;
  readonly operations: OperationMemory;
  readonly clock: Clock;
  /** Flushes if the backlog is large. */
  waitForCapacity(): Promise<void>;
}

/**
 * Logs every remembered reply again that is read from a record before `before`, without rows, so that the log
 * can drop those records. After a crash at any point the reply exists at least once, and the last one counts.
 */
export async function moveReplies(before: number, parts: MoveRepliesParts): Promise<void> {
  const seqs = parts.operations.seqsBefore(before, parts.clock.now());
  for (let from = 0; from < seqs.length; from += REPLIES_AT_ONCE) {
    await parts.waitForCapacity();
    const some = seqs.slice(from, from + REPLIES_AT_ONCE);
    const records = await Promise.all(some.map((seq) => readRecord(parts.log, seq)));
    // Appended in their former order. An older reply behind a later one would be forgotten after that one.
    await Promise.all(some.map((seq, index) => moveReply(seq, records[index], parts)));
  }
}

async function moveReply(
  seq: number,
  record: LogRecord | undefined,
  { journal, operations, clock }: MoveRepliesParts,
): Promise<void> {
  if (record?.op === undefined) return;
  const { op, result = {} } = record;
  // The record may be of a process with a clock ahead of this one.
  const at = Math.min(record.at, clock.now());
  const stillRemembered = () => {
    const found = operations.findById(op);
    return found !== undefined && "seq" in found.place && found.place.seq === seq ? found : undefined;
  };
  const since = stillRemembered()?.since;
  if (since === undefined) return;
  await journal.append({
    build: () => ({
      at,
      scope: "",
      rows: [],
      removed: [],
      op: { ...op, age: Math.max(0, clock.now() - since) },
      result: { ...result, ...forgetSeq(result, seq) },
    }),
    stage: () => {},
    apply: (_record, _seq, place) => {
      if (stillRemembered() !== undefined) operations.remember(op, at, place, op.done, since);
    },
  });
}

/** Keeps the original record number of a forget, because the erasure of its bytes depends on it. */
function forgetSeq(
  { deleted, firstSeq = 0 }: OperationResult,
  seq: number,
): Pick<OperationResult, "firstSeq"> {
  return deleted === undefined ? {} : { firstSeq: firstSeq || seq };
}

async function readRecord(log: Pick<Log, "read">, seq: number): Promise<LogRecord | undefined> {
  try {
    return decodeRecord(await log.read(seq));
  } catch (error) {
    if (isMemoryError(error) && error.code === "memory_not_found") return undefined;
    throw error;
  }
}
