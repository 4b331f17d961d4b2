import {
  errorFields,
  isJsonObject,
  isMemoryError,
  MemoryEntrySchema,
  MemoryError,
  type MemoryStoreRequest,
  nearestName,
  StoreEntrySchema,
  type StoreError,
  validateJson,
} from "@membus/protocol";
import { callError, roundTripsJson, toVector } from "../exchange/index.js";

/** Entry to store, with the protocol's field names. Retrieved entries are accepted. */
export type EntryInput = MemoryStoreRequest["entries"][number];

/** Entry with its position in the caller's list. */
export interface IndexedEntry {
  readonly index: number;
  readonly entry: EntryInput;
}

const ENTRY_FIELDS = new Set(Object.keys(StoreEntrySchema.shape));
/** Additional fields of a retrieved entry. They are not sent, because the host sets them. */
const HOST_FIELDS = new Set(Object.keys(MemoryEntrySchema.shape).filter((name) => !ENTRY_FIELDS.has(name)));

/**
 * Copies and checks entries. Rejects values that encoding would lose. The host validates the meaning of
 * values for each entry.
 *
 * @throws {TypeError} for errors in code: a value that JSON drops or changes, a mistyped field, or an entry
 * without key or content. Invalid data is reported as an error of its entry.
 */
export function checkEntries(inputs: readonly unknown[]): { entries: IndexedEntry[]; errors: StoreError[] } {
  const entries: IndexedEntry[] = [];
  const errors: StoreError[] = [];
  for (const [index, input] of inputs.entries()) {
    const indexed = { index, entry: copyEntry(input, `entries[${index}]`) };
    const error = validateEntry(indexed);
    if (error === undefined) entries.push(indexed);
    else errors.push(entryError(indexed, error));
  }
  return { entries, errors };
}

/** Returns an error in the format of a store reply. */
export function entryError({ index, entry }: IndexedEntry, error: MemoryError): StoreError {
  return { index, key: entry.key, ...errorFields(error) };
}

function copyEntry(input: unknown, path: string): EntryInput {
  if (!isJsonObject(input)) throw new TypeError(`${path} must be an object`);
  const entry: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || HOST_FIELDS.has(name)) continue;
    if (!ENTRY_FIELDS.has(name)) rejectMistypedField(name, path);
    entry[name] = name === "embedding" ? toVector(value) : value;
  }
  for (const name of ["key", "content"]) {
    if (!Object.hasOwn(entry, name)) throw new TypeError(`${path} must have a \`${name}\``);
  }
  return entry as unknown as EntryInput;
}

/**
 * Rejects a field that is similar to a known field. Other unknown fields are allowed, because hosts ignore
 * fields of later versions.
 */
function rejectMistypedField(name: string, path: string): void {
  const nearest = nearestName(name, ENTRY_FIELDS);
  if (nearest === undefined) return;
  throw new TypeError(`${path} has an unknown field \`${name}\` (did you mean \`${nearest}\`?)`);
}

function validateEntry({ index, entry }: IndexedEntry): MemoryError | undefined {
  try {
    validateJson({ entries: [entry] });
    return undefined;
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    if (roundTripsJson(entry)) return relativeToEntry(error);
    throw callError(error, error.message.replace("entries[0]", `entries[${index}]`));
  }
}

/** Returns the error with paths relative to the entry, like the errors of a host. */
function relativeToEntry({ code, message, detail }: MemoryError): MemoryError {
  const shorten = (text: string) => text.replace(/^entries\[0\]\./, "");
  const path = typeof detail.path === "string" ? { path: shorten(detail.path) } : {};
  return new MemoryError(code, shorten(message), { ...detail, ...path });
}
