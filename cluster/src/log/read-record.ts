import { MemoryError } from "@membus/protocol";
import type { StoredMsg } from "@nats-io/jetstream";
import type { LogStreams } from "./log-streams.js";
import { decodeHead, decodeRecords } from "./message-format.js";
import type { StreamSegment } from "./stream-segment.js";

/**
 * Reads a record that the segment can have.
 * @returns its payload, or undefined if the segment was trimmed, or has a gap in its numbers there.
 * @throws {MemoryError} `runtime_error` for a message that is missing or damaged, `unavailable` without an answer.
 */
export async function readRecord(
  streams: LogStreams,
  segment: StreamSegment,
  seq: number,
): Promise<Uint8Array | undefined> {
  const streamSeq = segment.locate(seq)!;
  const message = await readMessage(streams, segment, streamSeq);
  if (message === undefined) return undefined;
  const position = `stream ${segment.name}, message ${streamSeq}`;
  const { firstSeq, part } = decodeHead(message.header, position);
  if (part !== undefined) return readParts(streams, segment, streamSeq, part.count);
  const payload = [...decodeRecords(message.data, position)][seq - firstSeq];
  return payload && Buffer.from(payload);
}

async function readParts(
  streams: LogStreams,
  segment: StreamSegment,
  streamSeq: number,
  count: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  for (let index = 0; index < count; index++) {
    const message = await readMessage(streams, segment, streamSeq + index);
    if (message === undefined) return undefined;
    chunks.push(message.data);
  }
  return Buffer.concat(chunks);
}

/** Returns undefined if the segment was trimmed. */
async function readMessage(
  streams: LogStreams,
  segment: StreamSegment,
  streamSeq: number,
): Promise<StoredMsg | undefined> {
  const message = await streams.message(segment.name, streamSeq);
  if (message !== undefined || segment.isTrimmed) return message;
  const text = `the log is corrupt: stream ${segment.name} lacks message ${streamSeq}`;
  throw new MemoryError("runtime_error", text, { reason: "log_corrupt", file: segment.name });
}
