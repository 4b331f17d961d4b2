import type { LogRecovery } from "@membus/disk";
import type { MonotonicClock } from "@membus/protocol";
import type { JsMsg } from "@nats-io/jetstream";
import { repeatWhileOwned, type ShardHold } from "../place/index.js";
import type { LogStreams } from "./log-streams.js";
import { damagedMessage, decodeHead, decodeRecords, type MessageHead } from "./message-format.js";
import type { StreamSegment } from "./stream-segment.js";

/** First parts of a record. */
interface OpenParts {
  readonly firstSeq: number;
  readonly streamSeq: number;
  readonly count: number;
  readonly chunks: Uint8Array[];
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
   * Reads the rest of a segment.
   * @returns false if its stream is missing.
   * @throws {MemoryError} `unavailable` once the shard is lost, `runtime_error` for damaged messages.
   */
  async read(segment: StreamSegment): Promise<boolean> {
    if (this.#segment !== segment) this.#open = undefined;
    this.#segment = segment;
    let isFound: boolean | undefined;
    while (isFound === undefined) isFound = await repeatWhileOwned(this.#parts, () => this.#readOn(segment));
    return isFound;
  }

  /** Returns true at the end of the segment, false if its stream is missing, and else undefined. */
  async #readOn(segment: StreamSegment): Promise<boolean | undefined> {
    const { streams } = this.#parts;
    const { name } = segment;
    const state = (await streams.infoOf(name))?.state;
    // A segment begins with a mark. A stream without messages was purged, or created again under the same name.
    if (state === undefined || state.messages === 0) return false;
    if (segment.streamSeq < state.first_seq - 1) {
      segment.lacksBeginning = true;
      segment.streamSeq = state.first_seq - 1;
    }
    if (segment.streamSeq >= state.last_seq) return true;
    for await (const message of streams.messagesAfter(name, segment.streamSeq)) {
      this.#take(segment, message);
      if (message.seq >= state.last_seq) return true;
    }
    return undefined;
  }

  #take(segment: StreamSegment, message: JsMsg): void {
    const position = `stream ${segment.name}, message ${message.seq}`;
    if (message.seq !== segment.streamSeq + 1)
      throw damagedMessage(position, `message ${segment.streamSeq + 1} is missing before it`);
    const head = decodeHead(message.headers, position);
    if (head.firstSeq < segment.nextSeq) throw damagedMessage(position, "its records are there already");
    // An owner that was lost between two parts never wrote the others. The record does not exist then.
    this.#open = head.part && addPart(this.#open, head, message, position);
    if (this.#open === undefined || this.#open.chunks.length === this.#open.count) {
      this.#addRecords(segment, this.#open, head, message, position);
      this.#open = undefined;
    }
    segment.streamSeq = message.seq;
  }

  #addRecords(
    segment: StreamSegment,
    parts: OpenParts | undefined,
    { firstSeq }: MessageHead,
    { seq, data }: JsMsg,
    position: string,
  ): void {
    if (parts === undefined && data.length === 0) return segment.addMark(firstSeq);
    const records = parts === undefined ? [...decodeRecords(data, position)] : [Buffer.concat(parts.chunks)];
    for (const [index, record] of records.entries()) this.#parts.onRecord(firstSeq + index, record);
    const sizeBytes = records.reduce((sum, { length }) => sum + length, 0);
    const streamSeq = parts?.streamSeq ?? seq;
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
