import { randomFillSync } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  CONTENT_TYPE_HEADER,
  CONTENT_TYPES,
  type Encoding,
  encodeMessage,
  guardJson,
  type HeaderMap,
  isMemoryError,
  type MemoryError,
  type MemoryForgetRequest,
  type MemoryListRequest,
  type MemoryRetrieveRequest,
  parseRequest,
  type RequestType,
} from "@membus/protocol";
import { v7 as uuidv7 } from "uuid";
import type { Envelope } from "../identity.js";

/** A request as it is sent, and sent again: the same bytes each time. */
export interface EncodedRequest {
  readonly type: RequestType;
  readonly id: string;
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly headers?: HeaderMap;
}

type EnvelopedMessage = Envelope & Readonly<Record<string, unknown>>;

/** What the client writes itself. */
const ENVELOPE_FIELDS = ["type", "id", "version", "ts", "session_id", "deadline_ms"] as const;
type EnvelopeField = (typeof ENVELOPE_FIELDS)[number];

/** `memory/retrieve/req` without its envelope: criteria, query, order, limit, ... in the protocol's own names. */
export type RetrieveRequest = Omit<MemoryRetrieveRequest, EnvelopeField>;
/** `memory/forget/req` without its envelope. */
export type ForgetRequest = Omit<MemoryForgetRequest, EnvelopeField>;

/** `memory/list/req` without its envelope. */
export type ListRequest = Omit<MemoryListRequest, EnvelopeField>;

const MSGPACK_HEADERS: HeaderMap = Object.freeze({ [CONTENT_TYPE_HEADER]: CONTENT_TYPES.msgpack });

/** JSON goes without a header: every peer takes bytes without one for it. */
export function encodeRequest(
  subject: string,
  message: EnvelopedMessage,
  encoding: Encoding,
): EncodedRequest {
  const { type, id } = message;
  const payload = encodeMessage(message, encoding);
  return { type, id, subject, payload, ...(encoding === "msgpack" && { headers: MSGPACK_HEADERS }) };
}

/**
 * A request of these fields behind this envelope, checked as a host would.
 * @throws {TypeError} for a field that is unknown (naming the nearest), of the wrong type or out of range.
 * @throws {MemoryError} `too_large` for one over a limit.
 */
export function checkRequest(envelope: Envelope, fields: object): EnvelopedMessage {
  const message: Record<string, unknown> = { ...envelope };
  for (const [name, value] of Object.entries(fields)) {
    if (ENVELOPE_FIELDS.includes(name as EnvelopeField))
      throw new TypeError(`\`${name}\` is set by the client`);
    if (value !== undefined) message[name] = name === "embedding" ? toVector(value) : value;
  }
  try {
    guardJson(message);
    return parseRequest(message) as unknown as EnvelopedMessage;
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    const isCycle = error.detail.limit === "depth" && !survivesJson(message);
    throw error.code === "too_large" && !isCycle ? error : mistakeError(error);
  }
}

/** MessagePack where vectors go either way: four bytes a component, and `Float32Array` on arrival. */
export function encodingFor(message: EnvelopedMessage, preferred: Encoding): Encoding {
  const { embedding, include } = message as { embedding?: unknown; include?: readonly string[] };
  return embedding !== undefined || include?.includes("embedding") ? "msgpack" : preferred;
}

const ID_BYTES = 16;

/** Drawn for many ids at once: a draw for each would cost as much as the rest of its request. */
const randomBytes = new Uint8Array(ID_BYTES * 256);
let used = randomBytes.length;

/** A UUIDv7: an idempotency key that no other call has. */
export function newRequestId(): string {
  if (used === randomBytes.length) {
    randomFillSync(randomBytes);
    used = 0;
  }
  const random = randomBytes.subarray(used, used + ID_BYTES);
  used += ID_BYTES;
  return uuidv7({ random });
}

/** Whether JSON carries `value` unchanged: without undefined, NaN, functions, cycles, dates and other classes. */
export function survivesJson(value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);
  } catch (error) {
    // Too deep for the stack is still JSON; a cycle and a BigInt are TypeErrors.
    return error instanceof RangeError;
  }
}

/** The caller's mistake behind a refusal: of a cycle, all that was found is its depth. */
export function mistakeError(refusal: MemoryError, message = refusal.message): TypeError {
  const hint = refusal.code === "too_large" ? "; does it hold itself?" : "";
  return new TypeError(message + hint, { cause: refusal });
}

/**
 * A caller's embedding in its wire form. Other lists of numbers in binary are refused: their bytes would be read
 * as float32.
 */
export function toVector(value: unknown): unknown {
  if (Array.isArray(value)) return Float32Array.from(value as number[]);
  if (ArrayBuffer.isView(value) && !(value instanceof Float32Array)) {
    throw new TypeError("an embedding is a Float32Array or a list of numbers");
  }
  return value;
}
