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

/** One request of a store and its entries. */
export interface StorePart {
  readonly request: EncodedRequest;
  readonly entries: readonly IndexedEntry[];
}

export interface PartWriter {
  readonly id: string;
  readonly encoding: Encoding;
  write(id: string, entries: readonly IndexedEntry[]): EncodedRequest;
}

/** Maximum bytes of one request: one mebibyte, the default of NATS. Larger messages would delay others. */
const PART_BYTES_MAX = 1024 * 1024;
/** Content type and, if requests are traced, trace headers. */
const HEADER_BYTES_MAX = 64 + TRACE_HEADER_BYTES_MAX;
/**
 * Bytes of a receipt or error. Each entry reserves them, so that the reply, which repeats the key, also fits.
 */
const RECEIPT_BYTES_MAX = 320;

/**
 * Splits a store into requests that the bus and the host accept, in order, so that the later of two entries
 * with one key wins. Request ids derive from the call's id, so that a repeated call sends the same requests.
 */
export function splitStore(
  entries: readonly IndexedEntry[],
  writer: PartWriter,
  maxPayloadBytes: number,
): { parts: StorePart[]; errors: StoreError[] } {
  if (entries.length === 0) return { parts: [], errors: [] };
  const maxBytes = Math.min(maxPayloadBytes, PART_BYTES_MAX) - HEADER_BYTES_MAX;
  const request = writer.write(writer.id, entries);
  if (fitsOneRequest(request, entries.length, maxBytes, writer.encoding)) {
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

/**
 * Checks the limits without measuring each entry. An entry is at most as large as the request, or six times
 * that as JSON.
 */
function fitsOneRequest(
  request: EncodedRequest,
  count: number,
  maxBytes: number,
  encoding: Encoding,
): boolean {
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
  const message = `entry too large for the bus: ${bytes} bytes with its receipt, limit ${maxBytes}`;
  return new MemoryError("too_large", message, { limit: "messageBytes", max: maxBytes, got: bytes });
}

function group(entries: readonly SizedEntry[], maxBytes: number): SizedEntry[][] {
  const groups: SizedEntry[][] = [];
  let freeBytes = 0;
  for (const entry of entries) {
    if (entry.bytes > freeBytes || groups.at(-1)!.length === LIMITS.storeEntries) {
      groups.push([]);
      freeBytes = maxBytes;
    }
    groups.at(-1)!.push(entry);
    freeBytes -= entry.bytes;
  }
  return groups;
}
