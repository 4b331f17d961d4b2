import { randomFillSync } from "node:crypto";
import {
  type Encoding,
  encodeMessage,
  errorFields,
  MemoryError,
  type Message,
  PROTOCOL_VERSION,
} from "@membus/protocol";
import { v7 as uuidv7 } from "uuid";

const RANDOM_BYTES = 16;
/** Random bytes for many ids, because requesting them per id costs more than the rest of the id. */
const pool = new Uint8Array(RANDOM_BYTES * 256);
let used = pool.length;

/** Returns a UUIDv7 for a message that the host creates: a reply, an event, or a request without an id. */
export function messageId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + RANDOM_BYTES);
  used += RANDOM_BYTES;
  return uuidv7({ random });
}

/** Result of an operation: the fields of its reply without the envelope. */
export interface Reply {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Counts for the audit record. */
  readonly counts?: Readonly<Record<string, number>>;
  /**
   * Returns the fields with only the first `count` entries, items or agents. Absent if the reply cannot be shortened.
   */
  readonly shorten?: (count: number) => Readonly<Record<string, unknown>>;
}

/** Bytes reserved for the headers of a reply. The longest error headers stay below this. */
export const HEADER_BYTES_RESERVED = 1_024;

export interface ReplyEnvelope {
  /** Type of the reply. */
  readonly type: string;
  readonly reqId: string | null;
  /** Unix seconds. */
  readonly ts: number;
}

function encodeReply(
  { type, reqId, ts }: ReplyEnvelope,
  fields: Readonly<Record<string, unknown>>,
  encoding: Encoding,
): Uint8Array {
  const message: Message = { type, id: messageId(), version: PROTOCOL_VERSION, ts, req_id: reqId, ...fields };
  return encodeMessage(message, encoding);
}

export function encodeError(
  envelope: Omit<ReplyEnvelope, "type">,
  error: MemoryError,
  encoding: Encoding,
): Uint8Array {
  const fields = { ...errorFields(error), capability_name: "memory" };
  return encodeReply({ type: "error", ...envelope }, fields, encoding);
}

/**
 * Encodes a reply, shortened to fit if necessary (clause RET-15).
 * @throws {MemoryError} `too_large` if it cannot be shortened enough.
 */
export function encodeFitting(
  envelope: ReplyEnvelope,
  reply: Reply,
  encoding: Encoding,
  maxBytes: number,
): Uint8Array {
  const bytes = encodeReply(envelope, reply.fields, encoding);
  if (bytes.length <= maxBytes) return bytes;
  const { shorten } = reply;
  const got = bytes.length;
  if (shorten === undefined) throw replyTooLarge(maxBytes, got);
  const around = encodeReply(envelope, shorten(0), encoding).length;
  const listed = (reply.fields.entries ?? reply.fields.items ?? reply.fields.agents) as readonly Message[];
  let count = fittingCount(listed, encoding, maxBytes - around);
  // The cursor and the commas are not counted yet, so a few more steps may be needed.
  for (; count > 0; count--) {
    const shorter = encodeReply(envelope, shorten(count), encoding);
    if (shorter.length <= maxBytes) return shorter;
  }
  throw replyTooLarge(maxBytes, got);
}

/** Returns how many entries fit into `maxBytes`, fewer than all. */
function fittingCount(entries: readonly Message[], encoding: Encoding, maxBytes: number): number {
  let bytes = 0;
  const firstOverflow = entries.findIndex((entry) => {
    bytes += encodeMessage(entry, encoding).length;
    return bytes > maxBytes;
  });
  return firstOverflow === -1 ? entries.length - 1 : firstOverflow;
}

export function replyTooLarge(max: number, got: number): MemoryError {
  const message = `the reply has ${got} bytes, the limit is ${max}. Request or store fewer entries`;
  return new MemoryError("too_large", message, { limit: "messageBytes", max, got });
}
