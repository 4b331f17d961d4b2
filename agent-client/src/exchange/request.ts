import { randomFillSync } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  CONTENT_TYPE_HEADER,
  CONTENT_TYPES,
  type Encoding,
  encodeMessage,
  isMemoryError,
  type MemoryAgentsRequest,
  type MemoryError,
  type MemoryForgetRequest,
  type MemoryListRequest,
  type MemoryRetrieveRequest,
  parseRequest,
  type RequestType,
  validateJson,
} from "@membus/protocol";
import type { HeaderMap } from "@membus/protocol/plugin";
import { v7 as uuidv7 } from "uuid";
import type { Envelope } from "../identity.js";

/** Encoded request. Retries send the same bytes. */
export interface EncodedRequest {
  readonly type: RequestType;
  readonly id: string;
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly headers?: HeaderMap;
  /** Number of entries of a store. */
  readonly entryCount?: number;
}

type EnvelopedMessage = Envelope & Readonly<Record<string, unknown>>;

/** Fields that the client sets itself. */
const ENVELOPE_FIELDS = ["type", "id", "version", "ts", "session_id", "deadline_ms"] as const;
type EnvelopeField = (typeof ENVELOPE_FIELDS)[number];

/**
 * `memory/retrieve/req` without its envelope: criteria, query, order, limit and so on, with the protocol's
 * names.
 */
export type RetrieveRequest = Omit<MemoryRetrieveRequest, EnvelopeField>;
/** `memory/forget/req` without its envelope. */
export type ForgetRequest = Omit<MemoryForgetRequest, EnvelopeField>;

/** `memory/agents/req` without its envelope. */
export type AgentsRequest = Omit<MemoryAgentsRequest, EnvelopeField>;

/** `memory/list/req` without its envelope. */
export type ListRequest = Omit<MemoryListRequest, EnvelopeField>;

const MSGPACK_HEADERS: HeaderMap = Object.freeze({ [CONTENT_TYPE_HEADER]: CONTENT_TYPES.msgpack });

/** Encodes a request. JSON has no header, because every peer defaults to JSON. */
export function encodeRequest(
  subject: string,
  message: EnvelopedMessage,
  encoding: Encoding,
): EncodedRequest {
  const { type, id, entries } = message;
  const payload = encodeMessage(message, encoding);
  return {
    ...{ type, id, subject, payload },
    ...(encoding === "msgpack" && { headers: MSGPACK_HEADERS }),
    ...(Array.isArray(entries) && { entryCount: entries.length }),
  };
}

/**
 * Combines an envelope and fields into a request and validates it like a host.
 *
 * @throws {TypeError} for a field that is unknown (with the closest known name), of the wrong type or out of
 * range.
 * @throws {MemoryError} `too_large` for a request over a limit.
 */
export function checkRequest(envelope: Envelope, fields: object): EnvelopedMessage {
  const message: Record<string, unknown> = { ...envelope };
  for (const [name, value] of Object.entries(fields)) {
    if (ENVELOPE_FIELDS.includes(name as EnvelopeField))
      throw new TypeError(`\`${name}\` is set by the client, remove it from the call`);
    if (value !== undefined) message[name] = name === "embedding" ? toVector(value) : value;
  }
  try {
    validateJson(message);
    return parseRequest(message) as unknown as EnvelopedMessage;
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    const isCycle = error.detail.limit === "depth" && !roundTripsJson(message);
    throw error.code === "too_large" && !isCycle ? error : callError(error);
  }
}

/**
 * Returns MessagePack if the request contains or returns vectors: four bytes per component, and
 * `Float32Array` on arrival.
 */
export function encodingFor(message: EnvelopedMessage, preferred: Encoding): Encoding {
  const { embedding, include } = message as { embedding?: unknown; include?: readonly string[] };
  return embedding !== undefined || include?.includes("embedding") ? "msgpack" : preferred;
}

const ID_BYTES = 16;

/** Random bytes for many ids. One call for each id would cost as much as the rest of the request. */
const randomBytes = new Uint8Array(ID_BYTES * 256);
let used = randomBytes.length;

/** Returns a UUIDv7 as a unique idempotency key. */
export function newRequestId(): string {
  if (used === randomBytes.length) {
    randomFillSync(randomBytes);
    used = 0;
  }
  const random = randomBytes.subarray(used, used + ID_BYTES);
  used += ID_BYTES;
  return uuidv7({ random });
}

/** Returns whether JSON preserves `value`: no undefined, NaN, functions, cycles, dates or other classes. */
export function roundTripsJson(value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);
  } catch (error) {
    // A value too deep for the stack is valid JSON. A cycle or a BigInt is a TypeError.
    return error instanceof RangeError;
  }
}

/** Converts an error of the validation to a TypeError. A cycle is detected only by its depth. */
export function callError(refusal: MemoryError, message = refusal.message): TypeError {
  const hint = refusal.code === "too_large" ? " (the value may contain a cycle)" : "";
  return new TypeError(message + hint, { cause: refusal });
}

/**
 * Converts an embedding to its wire form. Rejects other typed arrays, because their bytes would be read as
 * float32.
 */
export function toVector(value: unknown): unknown {
  if (Array.isArray(value)) return Float32Array.from(value as number[]);
  if (ArrayBuffer.isView(value) && !(value instanceof Float32Array)) {
    throw new TypeError("an embedding must be a Float32Array or a list of numbers");
  }
  return value;
}
