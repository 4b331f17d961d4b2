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
export function scanMessagePack(bytes: Uint8Array, nestedMax: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  let nestedCount = 0;
  for (let remaining = 1; remaining > 0; remaining--) {
    const format = FORMATS[view.getUint8(offset)];
    if (format === undefined) throw new RangeError(`unknown first byte at offset ${offset}`);
    const body = offset + 1 + format.lengthBytes;
    const size = format.size + lengthAt(view, offset + 1, format.lengthBytes);
    offset = body;
    if (format.kind === "list" || format.kind === "map") checkNestedCount(++nestedCount, nestedMax);
    if (format.kind === "list") remaining += size;
    else if (format.kind === "map") remaining += 2 * size;
    else offset += size;
    if (format.kind === "string" && !isValidUtf8(bytes, body, offset))
      throw new RangeError(`invalid UTF-8 at offset ${body}`);
  }
}

interface Format {
  readonly kind: "value" | "string" | "list" | "map";
  /** Bytes of a value or string, elements of a list, or pairs of a map. */
  readonly size: number;
  /** Number of bytes of the big-endian length that is added to `size`. */
  readonly lengthBytes: 0 | 1 | 2 | 4;
}

function format(kind: Format["kind"], size: number, lengthBytes: Format["lengthBytes"] = 0): Format {
  return { kind, size, lengthBytes };
}

/** Formats of the first bytes 0xc0 to 0xdf. */
const FORMATS_FROM_C0: readonly (Format | undefined)[] = [
  ...[format("value", 0), undefined, format("value", 0), format("value", 0)], // nil, unused, false, true
  ...[format("value", 0, 1), format("value", 0, 2), format("value", 0, 4)], // bin
  ...[format("value", 1, 1), format("value", 1, 2), format("value", 1, 4)], // ext
  ...[4, 8, 1, 2, 4, 8, 1, 2, 4, 8].map((size) => format("value", size)), // float, uint, int
  ...[2, 3, 5, 9, 17].map((size) => format("value", size)), // fixext
  ...[format("string", 0, 1), format("string", 0, 2), format("string", 0, 4)],
  ...[format("list", 0, 2), format("list", 0, 4)],
  ...[format("map", 0, 2), format("map", 0, 4)],
];

const FORMATS = Array.from({ length: 256 }, (_, first): Format | undefined => {
  if (first <= 0x7f || first >= 0xe0) return format("value", 0);
  if (first <= 0x8f) return format("map", first & 0x0f);
  if (first <= 0x9f) return format("list", first & 0x0f);
  return first <= 0xbf ? format("string", first & 0x1f) : FORMATS_FROM_C0[first - 0xc0];
});

function lengthAt(view: DataView, offset: number, bytes: Format["lengthBytes"]): number {
  if (bytes === 0) return 0;
  if (bytes === 1) return view.getUint8(offset);
  return bytes === 2 ? view.getUint16(offset) : view.getUint32(offset);
}

/** Checks for UTF-8. Most strings are ASCII, and this loop is faster for short strings than a native call. */
function isValidUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > 256) return isUtf8(bytes.subarray(start, end));
  for (let at = start; at < end; at++) if (bytes[at]! >= 0x80) return isUtf8(bytes.subarray(start, end));
  return true;
}
