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
/** Random bytes for many ids: asking for them one id at a time costs more than the rest of an id. */
const pool = new Uint8Array(RANDOM_BYTES * 256);
let used = pool.length;

/** A UUIDv7 for a message of the host's own: a reply, an event, or a request that came without an id. */
export function messageId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + RANDOM_BYTES);
  used += RANDOM_BYTES;
  return uuidv7({ random });
}

/** What an operation answers: the fields of its reply besides the envelope. */
export interface Reply {
  readonly fields: Readonly<Record<string, unknown>>;
  /** For the audit record. */
  readonly counts?: Readonly<Record<string, number>>;
  /** The fields with only so many of the entries, or items, where a shorter reply is an answer too. */
  readonly shorten?: (count: number) => Readonly<Record<string, unknown>>;
}

/** Room in a message for the headers of a reply: those of an error, at their longest, stay below it. */
export const HEADER_BYTES_RESERVED = 1_024;

export interface ReplyEnvelope {
  /** Of the reply. */
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
 * The bytes of a reply, shortened to fit where it can be (clause RET-15).
 * @throws {MemoryError} `too_large` when it cannot.
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
  if (shorten === undefined) throw tooLargeToAnswer(maxBytes, got);
  const around = encodeReply(envelope, shorten(0), encoding).length;
  const listed = (reply.fields.entries ?? reply.fields.items) as readonly Message[];
  let count = fittingCount(listed, encoding, maxBytes - around);
  // The cursor and the commas are not counted yet: a step or two.
  for (; count > 0; count--) {
    const shorter = encodeReply(envelope, shorten(count), encoding);
    if (shorter.length <= maxBytes) return shorter;
  }
  throw tooLargeToAnswer(maxBytes, got);
}

/** How many of the entries fit into `maxBytes` at most; fewer than all. */
function fittingCount(entries: readonly Message[], encoding: Encoding, maxBytes: number): number {
  let bytes = 0;
  const tooFar = entries.findIndex((entry) => {
    bytes += encodeMessage(entry, encoding).length;
    return bytes > maxBytes;
  });
  return tooFar === -1 ? entries.length - 1 : tooFar;
}

export function tooLargeToAnswer(max: number, got: number): MemoryError {
  const message = `the reply has ${got} bytes; a message holds ${max} besides its headers`;
  return new MemoryError("too_large", message, { limit: "messageBytes", max, got });
}
