import { MemoryError } from "@membus/protocol";

/**
 * Why records are gone: their bytes are `damaged`, or the file is `missing`, or it is `foreign`, that is another log's in
 * the place of ours.
 */
export type LossKind = "damaged" | "missing" | "foreign";

/** Acknowledged records that a log has no more. */
export interface LogLoss {
  readonly kind: LossKind;
  readonly file: string;
  /** Byte offset in the file. */
  readonly offset: number;
  /** The first record that is gone. */
  readonly seq: number;
  /** The first one behind that is there; undefined where nobody knows how many there were. */
  readonly nextSeq: number | undefined;
  readonly reason: string;
}

/** What is known of a log with losses before anything is done about it. */
export interface LossReport {
  readonly losses: readonly LogLoss[];
  /** Records that can be read, those behind the first loss among them. */
  readonly readableCount: number;
  /** Records below are stored elsewhere. */
  readonly nextSeqMin: number;
}

/** Whether no record is gone that is not stored elsewhere: it costs no more than the replies to retries. */
export function isFree({ seq, nextSeq }: LogLoss, nextSeqMin: number): boolean {
  return nextSeq !== undefined && nextSeq <= Math.max(nextSeqMin, seq);
}

/** The refusal to open a log that would lose something, naming what, and how to open it all the same. */
export function lossError({ losses, readableCount, nextSeqMin }: LossReport): MemoryError {
  const [first] = losses;
  const isDamage = losses.every(({ kind }) => kind === "damaged");
  const isAnyDamaged = losses.some(({ kind }) => kind === "damaged");
  const remedy = [isAnyDamaged ? "--repair" : [], isDamage ? [] : "--accept-loss"].flat().join(" and ");
  const what = losses
    .map((loss) => `${loss.file}, byte ${loss.offset}, record ${loss.seq}: ${loss.reason}`)
    .join("; ");
  const gone = losses.map((loss) => lostRecords(loss, nextSeqMin)).join(" and ");
  const state = isDamage ? "is corrupt" : "is incomplete";
  const message =
    `the log ${state}: ${what}. Lost would be ${gone}; ${readableCount} records can be read and are kept. ` +
    `${isDamage ? "Open" : "Put back what is missing, or open"} it without with ${remedy}`;
  const { file, offset, seq } = first!;
  return new MemoryError("runtime_error", message, {
    ...{ reason: isDamage ? "log_corrupt" : "log_incomplete", file, offset, seq, remedy },
    readable_count: readableCount,
  });
}

function lostRecords({ seq, nextSeq }: LogLoss, nextSeqMin: number): string {
  const from = Math.max(seq, nextSeqMin);
  if (nextSeq === undefined) return `what came from record ${from} on, nobody knows how many`;
  const count = nextSeq - from;
  return count === 1 ? `1 record (${from})` : `${count} records (${from} to ${nextSeq - 1})`;
}
