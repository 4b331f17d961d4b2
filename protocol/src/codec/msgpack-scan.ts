import { isUtf8 } from "node:buffer";
import { checkNestedCount } from "../json.js";

/**
 * Rejects bytes that the MessagePack library would decode unsafely. The library allocates list elements
 * before they arrive, so 60 KB of nested headers could claim gigabytes. The library also accepts strings that
 * are not UTF-8. Objects and lists are counted before they are allocated. The scan decodes nothing and leaves
 * a value that is cut off at the end to the library.
 *
 * @throws {MemoryError} `too_large` for more than `nestedMax` objects and lists.
 * @throws {RangeError} for a message that ends early, a string that is not UTF-8, or an unknown first byte.
 */
export function scanPack(bytes: Uint8Array, nestedMax: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  let nestedCount = 0;
  for (let awaited = 1; awaited > 0; awaited--) {
    const head = HEADS[view.getUint8(offset)];
    if (head === undefined) throw new RangeError(`unknown first byte at offset ${offset}`);
    const body = offset + 1 + head.lengthBytes;
    const size = head.size + lengthAt(view, offset + 1, head.lengthBytes);
    offset = body;
    if (head.kind === "list" || head.kind === "map") checkNestedCount(++nestedCount, nestedMax);
    if (head.kind === "list") awaited += size;
    else if (head.kind === "map") awaited += 2 * size;
    else offset += size;
    if (head.kind === "string" && !isText(bytes, body, offset))
      throw new RangeError(`invalid UTF-8 at offset ${body}`);
  }
}

interface Head {
  readonly kind: "value" | "string" | "list" | "map";
  /** Bytes of a value or string, elements of a list, or pairs of a map. */
  readonly size: number;
  /** Number of bytes of the big-endian length that is added to `size`. */
  readonly lengthBytes: 0 | 1 | 2 | 4;
}

function head(kind: Head["kind"], size: number, lengthBytes: Head["lengthBytes"] = 0): Head {
  return { kind, size, lengthBytes };
}

/** Formats of the first bytes 0xc0 to 0xdf. */
const NAMED_HEADS: readonly (Head | undefined)[] = [
  ...[head("value", 0), undefined, head("value", 0), head("value", 0)], // nil, unused, false, true
  ...[head("value", 0, 1), head("value", 0, 2), head("value", 0, 4)], // bin
  ...[head("value", 1, 1), head("value", 1, 2), head("value", 1, 4)], // ext
  ...[4, 8, 1, 2, 4, 8, 1, 2, 4, 8].map((size) => head("value", size)), // float, uint, int
  ...[2, 3, 5, 9, 17].map((size) => head("value", size)), // fixext
  ...[head("string", 0, 1), head("string", 0, 2), head("string", 0, 4)],
  ...[head("list", 0, 2), head("list", 0, 4)],
  ...[head("map", 0, 2), head("map", 0, 4)],
];

const HEADS = Array.from({ length: 256 }, (_, first): Head | undefined => {
  if (first <= 0x7f || first >= 0xe0) return head("value", 0);
  if (first <= 0x8f) return head("map", first & 0x0f);
  if (first <= 0x9f) return head("list", first & 0x0f);
  return first <= 0xbf ? head("string", first & 0x1f) : NAMED_HEADS[first - 0xc0];
});

function lengthAt(view: DataView, offset: number, bytes: Head["lengthBytes"]): number {
  if (bytes === 0) return 0;
  if (bytes === 1) return view.getUint8(offset);
  return bytes === 2 ? view.getUint16(offset) : view.getUint32(offset);
}

/** Checks for UTF-8. Most strings are ASCII, and this loop is faster for short strings than a native call. */
function isText(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > 256) return isUtf8(bytes.subarray(start, end));
  for (let at = start; at < end; at++) if (bytes[at]! >= 0x80) return isUtf8(bytes.subarray(start, end));
  return true;
}
