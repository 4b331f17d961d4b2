import {
  errorFields,
  guardJson,
  isJsonObject,
  isMemoryError,
  MemoryEntrySchema,
  MemoryError,
  type MemoryStoreRequest,
  nearestName,
  StoreEntrySchema,
  type StoreError,
} from "@membus/protocol";
import { mistakeError, survivesJson, toVector } from "../exchange/index.js";

/** An entry to store, in the protocol's own names; one that was retrieved is one, too. */
export type EntryInput = MemoryStoreRequest["entries"][number];

/** An entry and its position in what the caller gave. */
export interface IndexedEntry {
  readonly index: number;
  readonly entry: EntryInput;
}

const ENTRY_FIELDS = new Set(Object.keys(StoreEntrySchema.shape));
/** What a retrieved entry has on top. Not sent back: the host sets these itself. */
const HOST_FIELDS = new Set(Object.keys(MemoryEntrySchema.shape).filter((name) => !ENTRY_FIELDS.has(name)));

/**
 * Copies the entries, so that what is sent is what was given. What the values mean is the host's to judge, entry by
 * entry; here is refused what would be lost on the way.
 * @throws {TypeError} for what only a mistake in code produces: a value that JSON drops or changes, a mistyped field,
 * an entry without key or content. What data may hold but the protocol refuses is an error of its entry.
 */
export function checkEntries(inputs: readonly unknown[]): { entries: IndexedEntry[]; errors: StoreError[] } {
  const entries: IndexedEntry[] = [];
  const errors: StoreError[] = [];
  for (const [index, input] of inputs.entries()) {
    const indexed = { index, entry: copyEntry(input, `entries[${index}]`) };
    const error = findRefusal(indexed);
    if (error === undefined) entries.push(indexed);
    else errors.push(entryError(indexed, error));
  }
  return { entries, errors };
}

/** An error as a store reply reports it. */
export function entryError({ index, entry }: IndexedEntry, error: MemoryError): StoreError {
  return { index, key: entry.key, ...errorFields(error) };
}

function copyEntry(input: unknown, path: string): EntryInput {
  if (!isJsonObject(input)) throw new TypeError(`${path} is not an object`);
  const entry: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || HOST_FIELDS.has(name)) continue;
    if (!ENTRY_FIELDS.has(name)) refuseMistyped(name, path);
    entry[name] = name === "embedding" ? toVector(value) : value;
  }
  for (const name of ["key", "content"]) {
    if (!Object.hasOwn(entry, name)) throw new TypeError(`${path} has no \`${name}\``);
  }
  return entry as unknown as EntryInput;
}

/** Hosts ignore entry fields that they do not know, so that a later version's pass; a near miss is none of those. */
function refuseMistyped(name: string, path: string): void {
  const nearest = nearestName(name, ENTRY_FIELDS);
  if (nearest === undefined) return;
  throw new TypeError(`${path} has an unknown field \`${name}\` (did you mean \`${nearest}\`?)`);
}

function findRefusal({ index, entry }: IndexedEntry): MemoryError | undefined {
  try {
    guardJson({ entries: [entry] });
    return undefined;
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    if (survivesJson(entry)) return withinEntry(error);
    throw mistakeError(error, error.message.replace("entries[0]", `entries[${index}]`));
  }
}

/** With paths that begin at the entry, as those of a host do. */
function withinEntry({ code, message, detail }: MemoryError): MemoryError {
  const shorten = (text: string) => text.replace(/^entries\[0\]\./, "");
  const path = typeof detail.path === "string" ? { path: shorten(detail.path) } : {};
  return new MemoryError(code, shorten(message), { ...detail, ...path });
}
