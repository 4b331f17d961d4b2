import { type DiskReserve, isDiskFull, type Log } from "@membus/disk";
import { isMemoryError, MemoryError } from "@membus/protocol";
import type { Backlog } from "./backlog.js";
import type { ResultPlace } from "./operation-memory.js";
import { PacedSteps } from "./queues.js";
import { decodeRecord, encodeRecord, type LogRecord, type OperationResult, rowCountOf } from "./record.js";

export interface Mutation {
  /** Makes the record, within the call of `append`. Row ids derive from `seq`. May be in vain: has no effect. */
  build(seq: number): LogRecord;
  /** The record has its place: later ones build on it. Runs within the call of `append`, unless it is refused. */
  stage(record: LogRecord, seq: number): void;
  /** The record is durable. */
  apply(record: LogRecord, seq: number, place: ResultPlace): void;
}

/** Makes a mutation durable, as far as the tier promises that, and tells where its reply is kept. */
export interface Journal {
  /**
   * Takes one mutation through its steps, each in the order of the calls. Resolves when it is applied.
   * @throws {MemoryError} `unavailable` or `overloaded`: the mutation did not happen.
   */
  append(mutation: Mutation): Promise<void>;
  /** The reply kept at a place, or undefined when it is no longer there. */
  resultAt(place: ResultPlace): Promise<OperationResult | undefined>;
  /** Runs when staged records, from this one on, did not become durable: what was planned on them is void. */
  onRollback(listener: (firstLostSeq: number) => void): void;
}

/** The journal of a tier that lives in memory alone. */
export function createMemoryJournal(): Journal {
  const steps = new PacedSteps();
  let seq = 0;
  return {
    async append({ build, stage, apply }) {
      const recordSeq = ++seq;
      const record = build(recordSeq);
      stage(record, recordSeq);
      const place = { result: record.result ?? {} };
      const applied = steps.run(rowCountOf(record), () => apply(record, recordSeq, place));
      if (applied !== undefined) await applied;
    },
    async resultAt(place) {
      return "result" in place ? place.result : undefined;
    },
    onRollback() {},
  };
}

export interface LogJournalDependencies {
  readonly log: Log;
  readonly backlog: Backlog;
  /** While it is released only records without rows are taken. */
  readonly reserve: Pick<DiskReserve, "isReleased">;
  /** Runs after every durable record: there is something to flush. */
  appended(record: LogRecord, seq: number): void;
}

/** The journal of a durable tier: one log record a mutation, which waits in the backlog for storage. */
export function createLogJournal({ log, backlog, reserve, appended }: LogJournalDependencies): Journal {
  const steps = new PacedSteps();
  return {
    async append({ build, stage, apply }) {
      backlog.admit();
      let record: LogRecord | undefined;
      const seq = log.nextSeq;
      const durable = log.append(() => {
        record = build(seq);
        if (reserve.isReleased && record.rows.length > 0) throw noRoom();
        return encodeRecord(record);
      });
      if (log.nextSeq > seq) stage(record!, seq);
      await durable.catch((error: unknown) => {
        throw record !== undefined && record.rows.length > 0 && isDiskFull(error) ? noRoom(error) : error;
      });
      const applied = steps.run(rowCountOf(record!), () => {
        backlog.add(seq, record!);
        apply(record!, seq, { seq });
        appended(record!, seq);
      });
      if (applied !== undefined) await applied;
    },
    resultAt: (place) => readResult(log, place),
    onRollback(listener) {
      // What waits is durable: it has happened before the rollback.
      log.onRollback((firstLostSeq) => {
        steps.runAll();
        listener(firstLostSeq);
      });
    },
  };
}

function noRoom(cause?: unknown): MemoryError {
  const message = "the disk is full: forget something, or ask the operator for more room";
  return new MemoryError("memory_full", message, { limit: "disk" }, { cause });
}

async function readResult(log: Log, place: ResultPlace): Promise<OperationResult | undefined> {
  if ("result" in place) return place.result;
  try {
    return decodeRecord(await log.read(place.seq)).result ?? {};
  } catch (error) {
    if (isMemoryError(error) && error.code === "memory_not_found") return undefined;
    throw error;
  }
}
