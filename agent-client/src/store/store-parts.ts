import {
  checkEntrySize,
  type Encoding,
  encodeMessage,
  isMemoryError,
  LIMITS,
  MemoryError,
  type StoreError,
} from "@membus/protocol";
import { type EncodedRequest, TRACE_HEADER_BYTES_MAX } from "../exchange/index.js";
import { entryError, type IndexedEntry } from "./store-entries.js";

/** One request of a store, and the entries in it. */
export interface StorePart {
  readonly request: EncodedRequest;
  readonly entries: readonly IndexedEntry[];
}

export interface PartWriter {
  readonly id: string;
  readonly encoding: Encoding;
  write(id: string, entries: readonly IndexedEntry[]): EncodedRequest;
}

/** One mebibyte, NATS's default: more in one message would only hold up others. */
const PART_BYTES_MAX = 1024 * 1024;
/** The encoding and, where requests are traced, what names the span. */
const HEADER_BYTES_MAX = 64 + TRACE_HEADER_BYTES_MAX;
/** Every entry is counted with what a receipt or error takes, so that the reply, which repeats the key, fits as well. */
const RECEIPT_BYTES_MAX = 320;

/**
 * Divides a store into requests that bus and host take: in order, so that of two entries with one key the later
 * wins. Their ids derive from the call's, so that the same call again is the same requests again.
 */
export function splitStore(
  entries: readonly IndexedEntry[],
  writer: PartWriter,
  maxPayloadBytes: number,
): { parts: StorePart[]; errors: StoreError[] } {
  if (entries.length === 0) return { parts: [], errors: [] };
  const maxBytes = Math.min(maxPayloadBytes, PART_BYTES_MAX) - HEADER_BYTES_MAX;
  const request = writer.write(writer.id, entries);
  if (fitsWhole(request, entries.length, maxBytes, writer.encoding)) {
    return { parts: [{ request, entries }], errors: [] };
  }
  const baseBytes = writer.write(partId(writer.id, entries.length), []).payload.length;
  const { sized, errors } = measure(entries, maxBytes - baseBytes, writer.encoding);
  const groups = group(sized, maxBytes - baseBytes);
  const parts = groups.map((part, n) => ({
    request: writer.write(groups.length === 1 ? writer.id : partId(writer.id, n), part),
    entries: part,
  }));
  return { parts, errors };
}

function partId(id: string, n: number): string {
  return `${id}.${n}`;
}

/** Without a look at each entry: none is larger than the whole, nor than six times its bytes once it is JSON. */
function fitsWhole(request: EncodedRequest, count: number, maxBytes: number, encoding: Encoding): boolean {
  const bytes = request.payload.length;
  const entryBytesMax = encoding === "json" ? bytes : bytes * 6;
  const fits = bytes + count * RECEIPT_BYTES_MAX <= maxBytes && entryBytesMax <= LIMITS.entryBytes;
  return fits && count <= LIMITS.storeEntries;
}

interface SizedEntry extends IndexedEntry {
  readonly bytes: number;
}

function measure(entries: readonly IndexedEntry[], maxBytes: number, encoding: Encoding) {
  const sized: SizedEntry[] = [];
  const errors: StoreError[] = [];
  for (const indexed of entries) {
    const bytes = encodeMessage(indexed.entry, encoding).length + RECEIPT_BYTES_MAX;
    const error = findTooLarge(indexed, bytes, maxBytes);
    if (error === undefined) sized.push({ ...indexed, bytes });
    else errors.push(entryError(indexed, error));
  }
  return { sized, errors };
}

function findTooLarge({ entry }: IndexedEntry, bytes: number, maxBytes: number): MemoryError | undefined {
  try {
    checkEntrySize(entry, Number.POSITIVE_INFINITY);
  } catch (error) {
    if (isMemoryError(error)) return error;
    throw error;
  }
  if (bytes <= maxBytes) return undefined;
  const message = `an entry of ${bytes} bytes with its receipt does not fit a message of the bus`;
  return new MemoryError("too_large", message, { limit: "messageBytes", max: maxBytes, got: bytes });
}

function group(entries: readonly SizedEntry[], maxBytes: number): SizedEntry[][] {
  const groups: SizedEntry[][] = [];
  let room = 0;
  for (const entry of entries) {
    if (entry.bytes > room || groups.at(-1)!.length === LIMITS.storeEntries) {
      groups.push([]);
      room = maxBytes;
    }
    groups.at(-1)!.push(entry);
    room -= entry.bytes;
  }
  return groups;
}
