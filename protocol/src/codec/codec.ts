import { decode as decodePack, encode as encodePack } from "@msgpack/msgpack";
import type { ErrorCode } from "../error-catalogue.js";
import { isJsonObject, rejectUnsafeIntegers, validateJson } from "../json.js";
import { LIMITS } from "../limits.js";
import { type ErrorDetail, isMemoryError, MemoryError } from "../memory-error.js";
import { isMessageId } from "../messages/index.js";
import { scanMessagePack } from "./msgpack-scan.js";
import { markUnsafeIntegers, withExponents } from "./unsafe-integers.js";

export type Encoding = "json" | "msgpack";

export const CONTENT_TYPES: Readonly<Record<Encoding, string>> = Object.freeze({
  json: "application/json",
  msgpack: "application/msgpack",
});

export type Message = Record<string, unknown>;

/**
 * Result of decoding. Invalid bytes are reported as a value, not thrown. `reqId` is the result of
 * `readableId`.
 */
export type DecodeOutcome =
  | { readonly ok: true; readonly encoding: Encoding; readonly message: Message }
  | {
      readonly ok: false;
      readonly encoding: Encoding;
      readonly code: ErrorCode;
      readonly text: string;
      readonly detail: ErrorDetail;
      readonly reqId: string | null;
    };

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Returns the encoding of a message: from its header, or else from its first byte (clauses ENC-1 and ENC-2).
 */
export function detectEncoding(payload: Uint8Array, contentType?: string): Encoding {
  const named = contentType?.split(";", 1)[0]?.trim().toLowerCase();
  if (named === CONTENT_TYPES.msgpack) return "msgpack";
  if (named === CONTENT_TYPES.json) return "json";
  const first = payload[0] ?? 0;
  return (first >= 0x80 && first <= 0x8f) || first === 0xde || first === 0xdf ? "msgpack" : "json";
}

/**
 * Decodes a message and rejects values that one of the encodings cannot carry (clause ENV-VALUE-1). The size
 * is checked before parsing. Binary vectors become a `Float32Array`. Invalid bytes never throw.
 *
 * @param options.nestedMax maximum number of objects and lists in a request, unlimited if absent
 */
export function decodeMessage(
  payload: Uint8Array,
  options: { contentType?: string | undefined; maxBytes?: number; nestedMax?: number } = {},
): DecodeOutcome {
  const encoding = detectEncoding(payload, options.contentType);
  let message: unknown;
  try {
    checkSize(payload.length, options.maxBytes ?? LIMITS.messageBytes);
    message = encoding === "json" ? parseJson(payload) : parseMessagePack(payload, options.nestedMax);
    if (!isJsonObject(message)) throw new MemoryError("invalid_message", "the message must be an object");
    if (validateJson(message, options.nestedMax))
      rejectUnsafeIntegers(decodeMarkingUnsafeIntegers(payload, encoding));
    return { ok: true, encoding, message };
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    const { code, message: text, detail } = error;
    return { ok: false, encoding, code, text, detail, reqId: readableId(message) };
  }
}

function checkSize(got: number, max: number): void {
  if (got <= max) return;
  throw new MemoryError("too_large", `message too large: ${got} bytes, limit ${max}`, {
    limit: "messageBytes",
    max,
    got,
  });
}

/**
 * Decodes the message again in the form that `rejectUnsafeIntegers` checks: integers beyond ±(2^53 - 1) are
 * infinities or bigints.
 */
function decodeMarkingUnsafeIntegers(payload: Uint8Array, encoding: Encoding): unknown {
  if (encoding === "msgpack") return decodePack(payload, { mapKeyConverter: stringKey, useBigInt64: true });
  const json = utf8.decode(payload);
  const marked = markUnsafeIntegers(json);
  return marked === json ? undefined : JSON.parse(marked);
}

/**
 * Parses JSON without rounding integers.
 *
 * @throws {SyntaxError} for invalid JSON.
 * @throws {MemoryError} `schema_violation` for an integer literal beyond ±(2^53 - 1) (clause ENV-VALUE-3).
 */
export function readJson(json: string): unknown {
  const value: unknown = JSON.parse(json);
  const marked = markUnsafeIntegers(json);
  if (marked !== json) rejectUnsafeIntegers(JSON.parse(marked));
  return value;
}

function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(payload));
  } catch (cause) {
    throw new MemoryError("parse_error", "the message is not valid JSON in UTF-8", {}, { cause });
  }
}

function stringKey(key: unknown): string {
  if (typeof key !== "string") throw new TypeError("map keys must be strings");
  return key;
}

function parseMessagePack(payload: Uint8Array, nestedMax = Number.POSITIVE_INFINITY): unknown {
  try {
    scanMessagePack(payload, nestedMax);
    return decodePack(payload, { mapKeyConverter: stringKey });
  } catch (cause) {
    if (isMemoryError(cause)) throw cause;
    throw new MemoryError("parse_error", "the message is not valid MessagePack", {}, { cause });
  }
}

/**
 * Returns the message id for a reply, also to an invalid message, or null if it has no valid id (clause
 * ERR-5).
 */
export function readableId(message: unknown): string | null {
  return isJsonObject(message) && isMessageId(message.id) ? message.id : null;
}

/** Writes JSON that `readJson` can read back, including doubles of any size (clause ENV-VALUE-3). */
export function writeJson(value: unknown): string {
  return withExponents(JSON.stringify(value));
}

/**
 * Encodes a message. Undefined fields are omitted. Embeddings are binary in MessagePack and lists in JSON.
 * Doubles with an integral value beyond ±(2^53 - 1) are written in JSON with an exponent.
 */
export function encodeMessage(message: Readonly<Message>, encoding: Encoding): Uint8Array {
  if (encoding === "msgpack") return encodePack(message, { ignoreUndefined: true });
  return Buffer.from(writeJson(vectorsToLists(message)), "utf8");
}

/**
 * Converts vectors to lists in the fields that may hold one. A `JSON.stringify` replacer makes encoding
 * several times slower.
 */
function vectorsToLists(message: Readonly<Message>): Readonly<Message> {
  const { entries } = message;
  const own = vectorToList(message) as Message;
  if (!Array.isArray(entries) || !entries.some(hasVector)) return own;
  return { ...own, entries: entries.map(vectorToList) };
}

function vectorToList(value: unknown): unknown {
  return hasVector(value) ? { ...value, embedding: Array.from(value.embedding) } : value;
}

function hasVector(value: unknown): value is Message & { readonly embedding: Float32Array } {
  return (value as Message | null)?.embedding instanceof Float32Array;
}
