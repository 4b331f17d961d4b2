import {
  type Encoding,
  encodeMessage,
  errorFields,
  MemoryError,
  type Message,
  PROTOCOL_VERSION,
} from "@membus/protocol";
import { messageId } from "./message-id.js";
import type { Reply } from "./runtime.js";

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
  let count = fittingCount(reply.fields.entries as readonly Message[], encoding, maxBytes - around);
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
