import { MemoryError } from "@membus/protocol";
import { headers, type MsgHdrs } from "@nats-io/transport-node";

/** Number of the first record of a message. A message without records begins an epoch or a segment. */
const FIRST = "Membus-First";
/** `<index>/<count>` for a part of a record that exceeds a message. The index begins with 1. */
const PART = "Membus-Part";
/** `<first>-<next>,...`: records before this message that are lost, which an operator has accepted. */
const LOST = "Membus-Lost";
/** Ranges in one message, because headers are bounded. Further ones have to be accepted once more. */
const LOST_COUNT_MAX = 20;
const LENGTH_BYTES = 4;

/** Records from `seq` to the one before `nextSeq`. */
export interface SeqRange {
  readonly seq: number;
  readonly nextSeq: number;
}

export interface MessageHead {
  readonly firstSeq: number;
  /** Lost records that an operator has accepted. */
  readonly lost?: readonly SeqRange[];
  readonly part?: { readonly index: number; readonly count: number } | undefined;
}

export function encodeHead({ firstSeq, part, lost = [] }: MessageHead): MsgHdrs {
  const head = headers();
  head.set(FIRST, String(firstSeq));
  const ranges = lost.slice(0, LOST_COUNT_MAX).map(({ seq, nextSeq }) => `${seq}-${nextSeq}`);
  if (ranges.length > 0) head.set(LOST, ranges.join(","));
  if (part !== undefined) head.set(PART, `${part.index}/${part.count}`);
  return head;
}

function rangeOf(text: string): SeqRange {
  const [seq = 0, nextSeq = 0] = text.split("-").map(Number);
  return { seq, nextSeq };
}

/** @throws {MemoryError} `runtime_error` for a message that no log has written. */
export function decodeHead(head: MsgHdrs | undefined, position: string): MessageHead {
  const firstSeq = Number(head?.get(FIRST) || Number.NaN);
  const part = /^(\d+)\/(\d+)$/.exec(head?.get(PART) ?? "");
  if (!Number.isSafeInteger(firstSeq)) throw damagedMessage(position, "it is not of a log");
  const ranges = head?.get(LOST) ?? "";
  const lost = ranges === "" ? [] : ranges.split(",").map(rangeOf);
  if (part === null) return { firstSeq, lost };
  return { firstSeq, lost, part: { index: Number(part[1]), count: Number(part[2]) } };
}

/** Returns the size of a record in a group. */
export function encodedBytes(payload: Uint8Array): number {
  return LENGTH_BYTES + payload.length;
}

/** Returns the bytes of a record in a group, with its length before it. */
export function encodeRecord(payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(encodedBytes(payload));
  frame.writeUInt32LE(payload.length);
  frame.set(payload, LENGTH_BYTES);
  return frame;
}

/** Returns the payload of an encoded record. */
export function payloadOf(frame: Buffer): Buffer {
  return frame.subarray(LENGTH_BYTES);
}

/** @throws {MemoryError} `runtime_error` if the message does not end with a record. */
export function* decodeRecords(data: Uint8Array, position: string): Iterable<Uint8Array> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  for (let at = 0; at < bytes.length; ) {
    const begin = at + LENGTH_BYTES;
    const end = begin <= bytes.length ? begin + bytes.readUInt32LE(at) : Number.POSITIVE_INFINITY;
    if (end > bytes.length) throw damagedMessage(position, "a record is incomplete");
    yield bytes.subarray(begin, end);
    at = end;
  }
}

export function damagedMessage(position: string, reason: string): MemoryError {
  const message = `the log is corrupt: ${position}: ${reason}`;
  return new MemoryError("runtime_error", message, { reason: "log_corrupt", file: position });
}
