import { isDiskFull, type Log } from "@membus/disk";
import { isMemoryError, MemoryError } from "@membus/protocol";
import type { SpaceReserve } from "../place/index.js";
import type { Backlog } from "./backlog.js";
import type { ResultPlace } from "./operation-memory.js";
import { PacedSteps } from "./queues.js";
import { decodeRecord, encodeRecord, type LogRecord, type OperationResult, rowCountOf } from "./record.js";

export interface Mutation {
  /**
   * Builds the record during `append`. Row ids derive from `seq`. The record may not be used, so it has no
   * side effects.
   */
  build(seq: number): LogRecord;
  /**
   * Stages the record, which has its place in the log, so that later records build on it. Called during
   * `append` unless the append is refused.
   */
  stage(record: LogRecord, seq: number): void;
  /** Applies the durable record. */
  apply(record: LogRecord, seq: number, place: ResultPlace): void;
}

/** Makes mutations durable as far as the tier guarantees it, and keeps their replies. */
export interface Journal {
  /**
   * Runs the steps of a mutation, each in call order. Resolves once it is applied.
   * @throws {MemoryError} `unavailable` or `overloaded`: the mutation did not happen.
   */
  append(mutation: Mutation): Promise<void>;
  /** Returns the reply kept at a place, or undefined if it is no longer there. */
  resultAt(place: ResultPlace): Promise<OperationResult | undefined>;
  /**
   * Registers a listener for staged records, from this one on, that did not become durable. Plans based on
   * them are void.
   */
  onRollback(listener: (firstLostSeq: number) => void): void;
}

/** Creates the journal of a tier in memory. */
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
  /** While the reserve is released, only records without rows are accepted. */
  readonly reserve: Pick<SpaceReserve, "isReleased">;
  /** Called after every durable record, because it must be flushed. */
  appended(record: LogRecord, seq: number): void;
}

/**
 * Creates the journal of a durable tier. Each mutation is one log record, which waits in the backlog for a
 * flush.
 */
export function createLogJournal({ log, backlog, reserve, appended }: LogJournalDependencies): Journal {
  const steps = new PacedSteps();
  return {
    async append({ build, stage, apply }) {
      backlog.checkCapacity();
      let record: LogRecord | undefined;
      const seq = log.nextSeq;
      const durable = log.append(() => {
        record = build(seq);
        if (record.rows.length > 0) checkSpace(log, reserve);
        return encodeRecord(record);
      });
      if (log.nextSeq > seq) stage(record!, seq);
      await durable.catch((error: unknown) => {
        throw record !== undefined && record.rows.length > 0 && isDiskFull(error)
          ? diskFullError(error)
          : error;
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
      // Waiting steps are durable, so they are applied before the rollback.
      log.onRollback((firstLostSeq) => {
        steps.runAll();
        listener(firstLostSeq);
      });
    },
  };
}

/** Keeps the space that is left for records without rows. */
function checkSpace(log: Log, reserve: Pick<SpaceReserve, "isReleased">): void {
  if (reserve.isReleased) throw diskFullError();
  const { shortage } = log;
  if (shortage !== undefined) throw shortage;
}

function diskFullError(cause?: unknown): MemoryError {
  const message = "the disk is full: forget entries, or ask the operator for more disk space";
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
