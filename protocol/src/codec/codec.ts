import { decode as decodePack, encode as encodePack } from "@msgpack/msgpack";
import type { ErrorCode } from "../error-catalogue.js";
import { guardJson, isJsonObject, refuseGreatIntegers } from "../json.js";
import { LIMITS } from "../limits.js";
import { type ErrorDetail, isMemoryError, MemoryError } from "../memory-error.js";
import { isMessageId } from "../messages/index.js";
import { withExponents, withInfinities } from "./great-numbers.js";
import { scanPack } from "./msgpack-scan.js";

export type Encoding = "json" | "msgpack";

export const CONTENT_TYPES: Readonly<Record<Encoding, string>> = Object.freeze({
  json: "application/json",
  msgpack: "application/msgpack",
});

export type Message = Record<string, unknown>;

/** A peer's bad bytes are a value, not an exception. `reqId` is what `readableId` gives. */
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

/** The encoding that a message is in: its header decides, then its first byte (clauses ENC-1 and ENC-2). */
export function detectEncoding(payload: Uint8Array, contentType?: string): Encoding {
  const named = contentType?.replace(/;.*$/s, "").trim().toLowerCase();
  if (named === CONTENT_TYPES.msgpack) return "msgpack";
  if (named === CONTENT_TYPES.json) return "json";
  const first = payload[0] ?? 0;
  return (first >= 0x80 && first <= 0x8f) || first === 0xde || first === 0xdf ? "msgpack" : "json";
}

/**
 * Bytes to message: an object without anything that one of the encodings cannot carry (clause ENV-VALUE-1). Size is
 * checked before anything is parsed. Vectors that came as binary are a `Float32Array`. No bytes make it throw.
 * @param options.nestedMax objects and lists in all, for a request; any number if absent
 */
export function decodeMessage(
  payload: Uint8Array,
  options: { contentType?: string | undefined; maxBytes?: number; nestedMax?: number } = {},
): DecodeOutcome {
  const encoding = detectEncoding(payload, options.contentType);
  let message: unknown;
  try {
    checkSize(payload.length, options.maxBytes ?? LIMITS.messageBytes);
    message = encoding === "json" ? parseJson(payload) : parsePack(payload, options.nestedMax);
    if (!isJsonObject(message)) throw new MemoryError("invalid_message", "the message is not an object");
    if (guardJson(message, options.nestedMax)) refuseGreatIntegers(withGreatIntegers(payload, encoding));
    return { ok: true, encoding, message };
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    const { code, message: text, detail } = error;
    return { ok: false, encoding, code, text, detail, reqId: readableId(message) };
  }
}

function checkSize(got: number, max: number): void {
  if (got <= max) return;
  throw new MemoryError("too_large", `a message has at most ${max} bytes, got ${got}`, {
    limit: "messageBytes",
    max,
    got,
  });
}

/** The message once more, with integers beyond ±(2^53 - 1) as what `refuseGreatIntegers` knows them by. */
function withGreatIntegers(payload: Uint8Array, encoding: Encoding): unknown {
  if (encoding === "msgpack") return decodePack(payload, { mapKeyConverter: stringKey, useBigInt64: true });
  const json = utf8.decode(payload);
  const marked = withInfinities(json);
  return marked === json ? undefined : JSON.parse(marked);
}

/**
 * The value of a JSON text, in which no integer is rounded.
 * @throws {SyntaxError} for what is no JSON.
 * @throws {MemoryError} `schema_violation` for an integer literal beyond ±(2^53 - 1) (clause ENV-VALUE-3).
 */
export function readJson(json: string): unknown {
  const value: unknown = JSON.parse(json);
  const marked = withInfinities(json);
  if (marked !== json) refuseGreatIntegers(JSON.parse(marked));
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
  if (typeof key !== "string") throw new TypeError("map keys are strings");
  return key;
}

function parsePack(payload: Uint8Array, nestedMax = Number.POSITIVE_INFINITY): unknown {
  try {
    scanPack(payload, nestedMax);
    return decodePack(payload, { mapKeyConverter: stringKey });
  } catch (cause) {
    if (isMemoryError(cause)) throw cause;
    throw new MemoryError("parse_error", "the message is not valid MessagePack", {}, { cause });
  }
}

/** The id by which a reply, also one to a broken message, names its request; null where there is none (clause ERR-5). */
export function readableId(message: unknown): string | null {
  return isJsonObject(message) && isMessageId(message.id) ? message.id : null;
}

/** JSON that `readJson` takes back, doubles of any size included (clause ENV-VALUE-3). */
export function writeJson(value: unknown): string {
  return withExponents(JSON.stringify(value));
}

/**
 * Message to bytes. Fields that are undefined are left out; embeddings are binary in MessagePack, lists in JSON. Numbers
 * of integral value beyond ±(2^53 - 1) are doubles, in JSON written with an exponent.
 */
export function encodeMessage(message: Readonly<Message>, encoding: Encoding): Uint8Array {
  if (encoding === "msgpack") return encodePack(message, { ignoreUndefined: true });
  return Buffer.from(writeJson(withLists(message)), "utf8");
}

/** Vectors as lists where a message may hold some. A replacer would do, but slows every encoding down several times. */
function withLists(message: Readonly<Message>): Readonly<Message> {
  const { entries } = message;
  const own = withList(message) as Message;
  if (!Array.isArray(entries) || !entries.some(holdsVector)) return own;
  return { ...own, entries: entries.map(withList) };
}

function withList(value: unknown): unknown {
  return holdsVector(value) ? { ...value, embedding: Array.from(value.embedding) } : value;
}

function holdsVector(value: unknown): value is Message & { readonly embedding: Float32Array } {
  return (value as Message | null)?.embedding instanceof Float32Array;
}
