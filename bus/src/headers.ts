import type { HeaderMap } from "@membus/protocol/plugin";
import { headers as createHeaders, type MsgHdrs } from "@nats-io/transport-node";

type EncodableHeaders = MsgHdrs & { encode(): Uint8Array };

export const NO_HEADERS: HeaderMap = Object.freeze(Object.create(null) as HeaderMap);

/** Encoded form of frozen headers, so that headers which a sender reuses are encoded once. */
const encodedHeaders = new WeakMap<HeaderMap, MsgHdrs>();

/**
 * Encodes headers.
 *
 * @throws {TypeError} for a name with blanks, colons or non-ASCII characters, or a value with a line break.
 */
export function encodeHeaders(map: HeaderMap): MsgHdrs {
  const cached = encodedHeaders.get(map);
  if (cached !== undefined) return cached;
  const encoded = createHeaders();
  try {
    for (const [name, value] of Object.entries(map)) encoded.append(name, value);
  } catch (error) {
    throw new TypeError(`invalid header: ${(error as Error).message}`, { cause: error });
  }
  if (Object.isFrozen(map)) encodedHeaders.set(map, withCachedBytes(encoded));
  return encoded;
}

/** Caches the encoded bytes. The NATS client calls `encode` for every message. */
function withCachedBytes(encoded: MsgHdrs): MsgHdrs {
  const writable = encoded as EncodableHeaders;
  const bytes = writable.encode();
  writable.encode = () => bytes;
  return writable;
}

/**
 * Decodes headers: names as sent, the first value of each. The map has no prototype, so it has no inherited
 * names.
 */
export function decodeHeaders(encoded: MsgHdrs): HeaderMap {
  const map = Object.create(null) as Record<string, string>;
  for (const [name, values] of encoded) map[name] = values[0] ?? "";
  return Object.freeze(map);
}

/** Returns the size that counts against max_payload: the payload and the encoded headers. */
export function messageSizeBytes(payload: Uint8Array, headers: MsgHdrs | undefined): number {
  return headers === undefined
    ? payload.length
    : payload.length + (headers as EncodableHeaders).encode().length;
}
