import { MemoryError } from "@membus/protocol";
import type { StoredMsg } from "@nats-io/jetstream";
import type { LogStreams } from "./log-streams.js";
import { decodeHead, decodeRecords } from "./message-format.js";
import type { StreamSegment } from "./stream-segment.js";

/** The records of a message. */
interface Found {
  readonly firstSeq: number;
  readonly payloads: readonly Uint8Array[];
}

/**
 * Reads single records. Concurrent reads of records in the same message share one request. A message may have a
 * thousand records, and remembered replies are read by the hundred to be logged again.
 */
export class RecordReader {
  readonly #streams: LogStreams;
  /** Requests in progress, by stream and number of the message. */
  readonly #requests = new Map<string, Promise<Found | undefined>>();

  constructor(streams: LogStreams) {
    this.#streams = streams;
  }

  /**
   * Reads a record that the segment can have.
   * @returns a copy of its payload, or undefined if the segment was trimmed, or has a gap in its numbers there.
   * @throws {MemoryError} `runtime_error` for a message that is missing or damaged, `unavailable` without an answer.
   */
  async read(segment: StreamSegment, seq: number): Promise<Uint8Array | undefined> {
    const streamSeq = segment.locate(seq)!;
    const place = `${segment.name} ${streamSeq}`;
    const running = this.#requests.get(place);
    const request = running ?? this.#find(segment, streamSeq);
    if (running === undefined) {
      this.#requests.set(place, request);
      const end = () => void this.#requests.delete(place);
      request.then(end, end);
    }
    const found = await request;
    const payload = found?.payloads[seq - found.firstSeq];
    return payload && Buffer.from(payload);
  }

  async #find(segment: StreamSegment, streamSeq: number): Promise<Found | undefined> {
    const message = await this.#message(segment, streamSeq);
    if (message === undefined) return undefined;
    const position = `stream ${segment.name}, message ${streamSeq}`;
    const { firstSeq, part } = decodeHead(message.header, position);
    if (part === undefined) return { firstSeq, payloads: [...decodeRecords(message.data, position)] };
    const payload = await this.#joinParts(segment, streamSeq, part.count);
    return payload && { firstSeq, payloads: [payload] };
  }

  async #joinParts(
    segment: StreamSegment,
    streamSeq: number,
    count: number,
  ): Promise<Uint8Array | undefined> {
    const chunks: Uint8Array[] = [];
    for (let index = 0; index < count; index++) {
      const message = await this.#message(segment, streamSeq + index);
      if (message === undefined) return undefined;
      chunks.push(message.data);
    }
    return Buffer.concat(chunks);
  }

  /** Returns undefined if the segment was trimmed. */
  async #message(segment: StreamSegment, streamSeq: number): Promise<StoredMsg | undefined> {
    const message = await this.#streams.message(segment.name, streamSeq);
    if (message !== undefined || segment.isTrimmed) return message;
    const text = `the log is corrupt: stream ${segment.name} lacks message ${streamSeq}`;
    throw new MemoryError("runtime_error", text, { reason: "log_corrupt", file: segment.name });
  }
}
