import { detectEncoding, type Encoding, readableId } from "@membus/protocol";

/** Bytes of a refused message that are read. Clients put `id` first (clause ERR-12). */
const HEAD_BYTES = 1_024;
/** Matches also a string that continues after the head. It is not JSON. */
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\]:]/gs;

export interface RequestHead {
  readonly encoding: Encoding;
  /** Null if the head contains no id. */
  readonly reqId: string | null;
}

/** Reads the fields that a refusal needs, without decoding the message. */
export function readHead(payload: Uint8Array, contentType: string | undefined): RequestHead {
  const encoding = detectEncoding(payload, contentType);
  const head = Buffer.from(payload.buffer, payload.byteOffset, Math.min(payload.length, HEAD_BYTES));
  const id = encoding === "json" ? idOfJson(head.toString("utf8")) : idOfPack(head);
  return { encoding, reqId: readableId({ id }) };
}

/** Returns the value of the top-level `id`, ignoring nested ones. */
function idOfJson(head: string): unknown {
  let depth = 0;
  let name: string | undefined;
  let isValue = false;
  for (const [token] of head.matchAll(JSON_TOKEN)) {
    if (token === ":") {
      isValue = depth === 1 && name === '"id"';
      continue;
    }
    if (isValue) return parsed(token);
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    name = token;
  }
  return undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Encoded bytes of a number, by its first byte. */
const NUMBER_BYTES: Readonly<Record<number, number>> = {
  ...{ 202: 5, 203: 9 },
  ...{ 204: 2, 205: 3, 206: 5, 207: 9 },
  ...{ 208: 2, 209: 3, 210: 5, 211: 9 },
};

/** Bytes of the length prefix of strings and binary values, by their first byte. */
const LENGTH_BYTES: Readonly<Record<number, number>> = {
  ...{ 217: 1, 218: 2, 219: 4 },
  ...{ 196: 1, 197: 2, 198: 4 },
};

/** Returns the top-level `id` of a MessagePack message, if no nested value precedes it. */
function idOfPack(head: Buffer): unknown {
  const first = head[0] ?? 0;
  let at = first === 0xde ? 3 : first === 0xdf ? 5 : 1;
  while (at < head.length) {
    const name = packBytes(head, at);
    if (name === undefined) return undefined;
    const value = packBytes(head, name.end);
    if (head.toString("utf8", name.start, name.end) === "id") {
      return value === undefined ? undefined : head.toString("utf8", value.start, value.end);
    }
    const end = value?.end ?? name.end + scalarBytes(head[name.end] ?? 0xc1);
    if (end === name.end) return undefined;
    at = end;
  }
  return undefined;
}

/** Returns the range of the string or binary value at `at`, if it ends within the head. */
function packBytes(head: Buffer, at: number): { readonly start: number; readonly end: number } | undefined {
  const first = head[at] ?? 0;
  const isShort = first >= 0xa0 && first <= 0xbf;
  const lengthBytes = isShort ? 0 : LENGTH_BYTES[first];
  if (lengthBytes === undefined || at + 1 + lengthBytes > head.length) return undefined;
  const start = at + 1 + lengthBytes;
  const end = start + (isShort ? first & 0x1f : head.readUIntBE(at + 1, lengthBytes));
  return end > head.length ? undefined : { start, end };
}

/** Returns the encoded bytes of a number, nil or boolean, and 0 for other values. */
function scalarBytes(first: number): number {
  const isOneByte = first <= 0x7f || first >= 0xe0 || first === 0xc0 || first === 0xc2 || first === 0xc3;
  return isOneByte ? 1 : (NUMBER_BYTES[first] ?? 0);
}
