import { isMemoryError } from "@membus/protocol";
import type { Backlog } from "./backlog.js";
import type { Journal } from "./journal.js";
import type { Log } from "./log/log.js";
import type { ResultPlace } from "./operation-memory.js";
import { PacedSteps } from "./paced-steps.js";
import { decodeRecord, encodeRecord, type LogRecord, type OperationResult, rowCountOf } from "./record.js";

export interface LogJournalDependencies {
  readonly log: Log;
  readonly backlog: Backlog;
  /** Runs after every durable record: there is something to flush. */
  appended(record: LogRecord): void;
}

/** The journal of a durable tier: one log record a mutation, which waits in the backlog for storage. */
export function createLogJournal({ log, backlog, appended }: LogJournalDependencies): Journal {
  const steps = new PacedSteps();
  return {
    async append({ build, stage, apply }) {
      backlog.admit();
      let record: LogRecord | undefined;
      const seq = log.nextSeq;
      const durable = log.append(() => {
        record = build(seq);
        return encodeRecord(record);
      });
      if (log.nextSeq > seq) stage(record!, seq);
      await durable;
      const applied = steps.run(rowCountOf(record!), () => {
        backlog.add(seq, record!);
        apply(record!, seq, { seq });
        appended(record!);
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

async function readResult(log: Log, place: ResultPlace): Promise<OperationResult | undefined> {
  if ("result" in place) return place.result;
  try {
    return decodeRecord(await log.read(place.seq)).result ?? {};
  } catch (error) {
    if (isMemoryError(error) && error.code === "memory_not_found") return undefined;
    throw error;
  }
}
