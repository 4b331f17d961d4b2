import { randomInt } from "node:crypto";
import type { LogPart } from "@membus/disk";
import type { SeqRange } from "./message-format.js";

const ID_MAX = 2 ** 47;
/** First token of the subjects of all logs. Only hosts may publish to them. */
const SUBJECT_TOKEN = "log";
const RADIX = 36;

/** Subjects of all streams of a log. */
export function subjectsOf(logName: string): string {
  return `${SUBJECT_TOKEN}.${logName}.*`;
}

/** Returns a new part of a log. Its name is the name of its stream. */
export function newPart(logName: string): LogPart {
  const id = randomInt(1, ID_MAX);
  return { name: `${logName}-${id.toString(RADIX)}`, id };
}

/** Records that deleted or damaged messages of a segment had. */
export interface SegmentGap extends SeqRange {
  readonly reason: string;
}

/** A segment of a log: a stream with one message for each group of records. */
export class StreamSegment {
  readonly part: LogPart;
  readonly subject: string;
  /** Sequence of the stream's last known message. */
  streamSeq = 0;
  nextSeq: number;
  sizeBytes = 0;
  /** Gaps between its messages, in order. */
  readonly gaps: SegmentGap[] = [];
  /** Lost records that an operator has accepted, here and in earlier segments. */
  readonly acceptedLosses: SeqRange[] = [];
  /** Whether its stream may be deleted, so that no record of it is found. */
  isTrimmed = false;
  #firstSeq: number;
  /** First record of each message, and the sequence of the message. */
  readonly #firstSeqs: number[] = [];
  readonly #streamSeqs: number[] = [];
  #damage: string | undefined;

  /** @param firstSeq number of its first record, if its first message does not say otherwise. */
  constructor(logName: string, part: LogPart, firstSeq: number) {
    this.part = part;
    this.subject = `${SUBJECT_TOKEN}.${logName}.${part.id.toString(RADIX)}`;
    this.#firstSeq = firstSeq;
    this.nextSeq = firstSeq;
  }

  get name(): string {
    return this.part.name;
  }

  get firstSeq(): number {
    return this.#firstSeq;
  }

  get isEmpty(): boolean {
    return this.#firstSeqs.length === 0;
  }

  /** Reason for which records at its end may be lost. Undefined if its last message is as it was written. */
  get damage(): string | undefined {
    return this.#damage;
  }

  /** Notes that messages after the last known one are deleted or damaged. The number of the next record shows how many records they had. */
  noteDamage(reason: string): void {
    this.#damage ??= reason;
  }

  /** Adds a message without records, after which this record follows. */
  addMark(firstSeq: number): void {
    this.#endGap(firstSeq);
    if (this.isEmpty) this.#firstSeq = firstSeq;
    this.nextSeq = firstSeq;
  }

  /** Adds records of a message. A record in parts is added with its first part. */
  addRecords(added: {
    readonly firstSeq: number;
    readonly streamSeq: number;
    readonly count: number;
    readonly sizeBytes: number;
  }): void {
    if (added.firstSeq > this.nextSeq) this.noteDamage("records are missing");
    this.#endGap(added.firstSeq);
    if (this.isEmpty) this.#firstSeq = added.firstSeq;
    this.#firstSeqs.push(added.firstSeq);
    this.#streamSeqs.push(added.streamSeq);
    this.nextSeq = added.firstSeq + added.count;
    this.sizeBytes += added.sizeBytes;
  }

  /** Returns the sequence of the message that can have this record, or undefined if there is none. */
  locate(seq: number): number | undefined {
    if (this.isEmpty || seq < this.firstSeq || seq >= this.nextSeq) return undefined;
    let low = 0;
    let high = this.#firstSeqs.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#firstSeqs[middle]! <= seq) low = middle;
      else high = middle - 1;
    }
    return this.#streamSeqs[low];
  }

  #endGap(nextSeq: number): void {
    const reason = this.#damage;
    this.#damage = undefined;
    if (reason !== undefined && nextSeq > this.nextSeq)
      this.gaps.push({ seq: this.nextSeq, nextSeq, reason });
  }
}
