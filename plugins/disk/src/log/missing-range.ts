import { MemoryError } from "@membus/protocol";

/** More records than the largest segment can hold, so that numbers of lost records are not assigned again. */
export const SEQ_BEYOND = 100_000_000;

/**
 * Reason for lost records: their bytes are `damaged`, the file is `missing`, or a `foreign` file of another
 * log is in its place.
 */
export type MissingRangeKind = "damaged" | "missing" | "foreign";

/** Range of acknowledged records that a log has lost. */
export interface MissingRange {
  readonly kind: MissingRangeKind;
  readonly file: string;
  /** Byte offset in the file. */
  readonly offset: number;
  /** First lost record. */
  readonly seq: number;
  /** First available record after the range. Undefined if the number of lost records is unknown. */
  readonly nextSeq: number | undefined;
  readonly reason: string;
}

/** State of a log with missing ranges, before a repair. */
export interface MissingRangeReport {
  readonly losses: readonly MissingRange[];
  /** Number of readable records, including records after the first missing range. */
  readonly readableCount: number;
  /** Records below this number are stored elsewhere. */
  readonly nextSeqMin: number;
}

/** Returns whether all lost records are stored elsewhere, so that only replies to retries are lost. */
export function isStoredElsewhere({ seq, nextSeq }: MissingRange, nextSeqMin: number): boolean {
  return nextSeq !== undefined && nextSeq <= Math.max(nextSeqMin, seq);
}

/**
 * Returns the error for a log that cannot be opened without losing records. It names the losses and the flags
 * to open it anyway.
 */
export function missingRangesError({ losses, readableCount, nextSeqMin }: MissingRangeReport): MemoryError {
  const [first] = losses;
  const isDamage = losses.every(({ kind }) => kind === "damaged");
  const isAnyDamaged = losses.some(({ kind }) => kind === "damaged");
  const remedy = [isAnyDamaged ? "--repair" : [], isDamage ? [] : "--accept-loss"].flat().join(" and ");
  const description = losses
    .map((range) => `${range.file}, byte ${range.offset}, record ${range.seq}: ${range.reason}`)
    .join("; ");
  const lostRanges = losses.map((range) => lostRecords(range, nextSeqMin)).join(" and ");
  const state = isDamage ? "is corrupt" : "is incomplete";
  const message =
    `the log ${state}: ${description}. ` +
    `Opening it loses ${lostRanges} and keeps ${readableCount} readable records. ` +
    `${isDamage ? "Open" : "Restore the missing files, or open"} it anyway with ${remedy}`;
  const { file, offset, seq } = first!;
  return new MemoryError("runtime_error", message, {
    ...{ reason: isDamage ? "log_corrupt" : "log_incomplete", file, offset, seq, remedy },
    readable_count: readableCount,
  });
}

/** Names the records of a range that are stored nowhere else. @param nextSeqMin see `MissingRangeReport`. */
export function lostRecords(
  { seq, nextSeq }: Pick<MissingRange, "seq" | "nextSeq">,
  nextSeqMin: number,
): string {
  const from = Math.max(seq, nextSeqMin);
  if (nextSeq === undefined) return `an unknown number of records from record ${from} on`;
  const count = nextSeq - from;
  return count === 1 ? `1 record (${from})` : `${count} records (${from} to ${nextSeq - 1})`;
}
