import type { LogRecovery } from "@membus/disk";
import type { MonotonicClock } from "@membus/protocol";
import type { JsMsg } from "@nats-io/jetstream";
import { storeError } from "../bucket/index.js";
import { repeatWhileOwned, type ShardHold } from "../place/index.js";
import type { LogStreams } from "./log-streams.js";
import {
  damagedMessage,
  decodeHead,
  decodeRecords,
  type MessageHead,
  type SeqRange,
} from "./message-format.js";
import type { StreamSegment } from "./stream-segment.js";

/** First parts of a record. */
interface OpenParts {
  readonly firstSeq: number;
  readonly streamSeq: number;
  readonly count: number;
  readonly chunks: Uint8Array[];
}

/** Records of a message, or one of several messages. A message without records is a mark. */
interface Group {
  readonly firstSeq: number;
  /** Sequence of the first of these messages. */
  readonly streamSeq: number;
  readonly lost: readonly SeqRange[];
  readonly records: readonly Uint8Array[];
}

export interface ReaderParts {
  readonly streams: LogStreams;
  readonly hold: ShardHold;
  readonly clock: MonotonicClock;
  readonly onRecord: LogRecovery["onRecord"];
}

/** Reads the messages of segments while a log is opened, one segment after the other. */
export class SegmentReader {
  readonly #parts: ReaderParts;
  #segment: StreamSegment | undefined;
  /** Parts at the end of the segment. The next message decides whether they belong to a record. */
  #open: OpenParts | undefined;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  /**
   * Reads the rest of a segment. Notes deleted and damaged messages.
   * @returns false if its stream is missing.
   * @throws {MemoryError} `unavailable` once the shard is lost.
   */
  async read(segment: StreamSegment): Promise<boolean> {
    if (this.#segment !== segment) this.#open = undefined;
    this.#segment = segment;
    return repeatWhileOwned(this.#parts, () => this.#readOn(segment));
  }

  /** Returns false if the stream is missing. */
  async #readOn(segment: StreamSegment): Promise<boolean> {
    const { streams } = this.#parts;
    const { name } = segment;
    const state = (await streams.infoOf(name))?.state;
    // A segment begins with a mark. A stream without messages was purged, or created again under the same name.
    if (state === undefined || state.messages === 0) return false;
    if (segment.streamSeq < state.first_seq - 1) {
      segment.noteDamage("its first messages are missing");
      segment.streamSeq = state.first_seq - 1;
    }
    if (segment.streamSeq >= state.last_seq) return true;
    for await (const message of streams.messagesAfter(name, segment.streamSeq)) {
      if (message.seq !== segment.streamSeq + 1) await this.#noteMissing(segment, message.seq);
      this.#take(segment, message);
      if (message.seq >= state.last_seq) return true;
    }
    await this.#noteMissing(segment, undefined);
    segment.streamSeq = state.last_seq;
    return true;
  }

  /**
   * Notes that the stream has no message between the last known one and this sequence, or its end.
   * @throws {MemoryError} `unavailable` if it has some, which were lost on their way.
   */
  async #noteMissing(segment: StreamSegment, streamSeq: number | undefined): Promise<void> {
    const expected = `message ${segment.streamSeq + 1}`;
    if ((await this.#parts.streams.seqAfter(segment, segment.streamSeq)) !== streamSeq)
      throw storeError(new Error(`${expected} of stream ${segment.name} did not arrive`));
    this.#lose(segment, `${expected} is missing`);
  }

  #take(segment: StreamSegment, message: JsMsg): void {
    const position = `stream ${segment.name}, message ${message.seq}`;
    const group = this.#groupOf(segment, message, position);
    if (group !== undefined) this.#addGroup(segment, group);
    segment.streamSeq = message.seq;
  }

  #lose(segment: StreamSegment, reason: string): void {
    segment.noteDamage(reason);
    this.#open = undefined;
  }

  /** Returns the records that end with a message. Undefined for a part before the last one, and for a damaged message. */
  #groupOf(segment: StreamSegment, message: JsMsg, position: string): Group | undefined {
    try {
      const { firstSeq, part, lost = [] } = decodeHead(message.headers, position);
      if (firstSeq < segment.nextSeq) throw damagedMessage(position, "its records are there already");
      const { seq: streamSeq, data } = message;
      // An owner that was lost between two parts never wrote the others. The record does not exist then.
      this.#open = part && addPart(this.#open, { firstSeq, part }, message, position);
      const open = this.#open;
      if (open === undefined)
        return { firstSeq, streamSeq, lost, records: [...decodeRecords(data, position)] };
      if (open.chunks.length < open.count) return undefined;
      this.#open = undefined;
      return { ...open, lost, records: [Buffer.concat(open.chunks)] };
    } catch (error) {
      this.#lose(segment, (error as Error).message);
      return undefined;
    }
  }

  #addGroup(segment: StreamSegment, { firstSeq, streamSeq, lost, records }: Group): void {
    segment.acceptedLosses.push(...lost);
    if (records.length === 0) return segment.addMark(firstSeq);
    for (const [index, record] of records.entries()) this.#parts.onRecord(firstSeq + index, record);
    const sizeBytes = records.reduce((sum, { length }) => sum + length, 0);
    segment.addRecords({ firstSeq, streamSeq, count: records.length, sizeBytes });
  }
}

function addPart(
  open: OpenParts | undefined,
  { firstSeq, part }: MessageHead,
  { seq, data }: JsMsg,
  position: string,
): OpenParts {
  const { index, count } = part!;
  const chunk = Buffer.from(data);
  if (index === 1) return { firstSeq, streamSeq: seq, count, chunks: [chunk] };
  const isNext = open?.firstSeq === firstSeq && open.count === count && open.chunks.length === index - 1;
  if (open === undefined || !isNext)
    throw damagedMessage(position, "an earlier part of the record is missing");
  open.chunks.push(chunk);
  return open;
}
