import { type LogPart, type LogRecovery, lostRecords, SEQ_BEYOND } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import type { SeqRange } from "./message-format.js";
import type { SegmentReader } from "./segment-reader.js";
import { StreamSegment } from "./stream-segment.js";

/** Records that no segment has. */
interface MissingRange {
  readonly names: readonly string[];
  readonly seq: number;
  /** Number after the last missing record, or undefined if it is unknown. */
  readonly nextSeq: number | undefined;
}

export interface OpenedSegments {
  /** Segments with an existing stream, in order. */
  readonly segments: StreamSegment[];
  /** Lost records that are accepted now. */
  readonly lost: readonly SeqRange[];
  /** Number of the next record. */
  readonly nextSeq: number;
}

/**
 * Reads all segments of a log and finds out which records are missing.
 *
 * @throws {MemoryError} `runtime_error` with the reason `log_incomplete` if records are missing that are not
 * stored elsewhere, unless the loss is accepted. Else the errors of the reader.
 */
export async function openSegments(
  logName: string,
  reader: SegmentReader,
  { keeper, nextSeqMin, acceptLoss = false }: LogRecovery,
): Promise<OpenedSegments> {
  const kept = keeper?.kept ?? [];
  const survey = new SegmentSurvey(logName, nextSeqMin);
  for (const part of kept) await survey.read(part, reader);
  const { segments, losses, endSeq } = survey.result(kept.length > 0);
  if (losses.length > 0 && !acceptLoss) throw incompleteLog(losses);
  const isEndLost = losses.at(-1) !== undefined && losses.at(-1)!.nextSeq === undefined;
  const nextSeq = Math.max(endSeq, nextSeqMin) + (isEndLost ? SEQ_BEYOND : 0);
  return {
    segments,
    lost: losses.map((loss) => ({ seq: loss.seq, nextSeq: loss.nextSeq ?? nextSeq })),
    nextSeq,
  };
}

class SegmentSurvey {
  readonly #logName: string;
  readonly #nextSeqMin: number;
  readonly #segments: StreamSegment[] = [];
  readonly #losses: MissingRange[] = [];
  /** Names of streams that are missing or damaged since the last records. */
  #missing: string[] = [];
  #nextSeq = 1;

  constructor(logName: string, nextSeqMin: number) {
    this.#logName = logName;
    this.#nextSeqMin = nextSeqMin;
  }

  async read(part: LogPart, reader: SegmentReader): Promise<void> {
    const segment = new StreamSegment(this.#logName, part, this.#nextSeq);
    if (!(await reader.read(segment))) {
      this.#missing.push(part.name);
      return;
    }
    this.#segments.push(segment);
    if (this.#missing.length > 0) {
      this.#endGap(segment.firstSeq);
      this.#nextSeq = segment.firstSeq;
    }
    for (const { seq, nextSeq, reason } of segment.gaps) {
      this.#missing.push(`${part.name} (${reason})`);
      this.#nextSeq = Math.max(this.#nextSeq, seq);
      this.#endGap(nextSeq);
    }
    this.#nextSeq = segment.nextSeq;
    if (segment.damage !== undefined) this.#missing.push(`${part.name} (${segment.damage})`);
  }

  /** @param isUsed whether the log existed before. */
  result(isUsed: boolean) {
    if (this.#missing.length > 0 || (isUsed && this.#nextSeq < this.#nextSeqMin)) this.#endGap(undefined);
    const accepted = this.#segments.flatMap(({ acceptedLosses }) => acceptedLosses);
    const losses = this.#losses.filter(
      ({ seq, nextSeq }) => !accepted.some((range) => range.seq <= seq && range.nextSeq === nextSeq),
    );
    return { segments: this.#segments, losses, endSeq: this.#nextSeq };
  }

  #endGap(nextSeq: number | undefined): void {
    const seq = Math.max(this.#nextSeq, this.#nextSeqMin);
    const names = this.#missing;
    if (nextSeq === undefined || nextSeq > seq) this.#losses.push({ names, seq, nextSeq });
    this.#missing = [];
  }
}

function incompleteLog(losses: readonly MissingRange[]): MemoryError {
  const names = losses.flatMap((loss) => loss.names);
  const missing =
    names.length === 0
      ? "the end of its newest stream is missing"
      : `these streams are missing or damaged: ${names.join(", ")}`;
  const message =
    `the log is incomplete: ${missing}. Opening it loses ${losses.map((loss) => lostRecords(loss, 0)).join(" and ")}. ` +
    "Restore the streams, or run `membus cluster accept-loss`";
  return new MemoryError("runtime_error", message, {
    ...{ reason: "log_incomplete", seq: losses[0]!.seq, remedy: "--accept-loss" },
  });
}
