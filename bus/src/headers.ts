import type { HeaderMap } from "@membus/protocol";
import { headers as createHeaders, type MsgHdrs } from "@nats-io/transport-node";

type EncodableHeaders = MsgHdrs & { encode(): Uint8Array };

export const NO_HEADERS: HeaderMap = Object.freeze(Object.create(null) as HeaderMap);

/** Frozen headers as they are on the wire: a sender that keeps its headers has them written once. */
const writtenOnce = new WeakMap<HeaderMap, MsgHdrs>();

/** @throws {TypeError} for a name with blanks, colons or non-ASCII characters, or a value with a line end. */
export function encodeHeaders(map: HeaderMap): MsgHdrs {
  const known = writtenOnce.get(map);
  if (known !== undefined) return known;
  const encoded = createHeaders();
  try {
    for (const [name, value] of Object.entries(map)) encoded.append(name, value);
  } catch (error) {
    throw new TypeError(`invalid header: ${(error as Error).message}`, { cause: error });
  }
  if (Object.isFrozen(map)) writtenOnce.set(map, withBytes(encoded));
  return encoded;
}

/** The NATS client writes headers anew for every message, by this method. */
function withBytes(encoded: MsgHdrs): MsgHdrs {
  const writable = encoded as EncodableHeaders;
  const bytes = writable.encode();
  writable.encode = () => bytes;
  return writable;
}

/** Names as sent, the first value of each. Without a prototype, so that no name is there by inheritance. */
export function decodeHeaders(encoded: MsgHdrs): HeaderMap {
  const map = Object.create(null) as Record<string, string>;
  for (const [name, values] of encoded) map[name] = values[0] ?? "";
  return Object.freeze(map);
}

/** What a message counts against max_payload: its payload and its headers as they are on the wire. */
export function messageSizeBytes(payload: Uint8Array, headers: MsgHdrs | undefined): number {
  return headers === undefined
    ? payload.length
    : payload.length + (headers as EncodableHeaders).encode().length;
}
