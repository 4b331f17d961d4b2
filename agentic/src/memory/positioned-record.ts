import { isJsonObject, type Json, type MemoryEntry } from "@membus/protocol";
import { isHead } from "@membus/protocol/records";
import { CONVERSATIONS_NAMESPACE } from "../conversation/index.js";
import type { Places } from "../positions.js";

/** Fields with positions (the `seq` of messages), at any depth of the content and the metadata. */
const POSITION_FIELDS: Readonly<Record<string, readonly string[]>> = {
  summary: ["from", "to"],
  history: ["from", "to"],
  learner_cursor: ["learned", "seen", "batchTo", "suspectTo", "seq"],
  learner_frontier: [],
};

type Positioned = Pick<MemoryEntry, "key" | "content" | "metadata">;

/** Returns whether a record names messages by their position, so that a copy must be stored after them. */
export function isPositioned({ metadata }: Pick<MemoryEntry, "metadata">): boolean {
  return fieldsOf(metadata) !== undefined;
}

function fieldsOf(metadata: MemoryEntry["metadata"]): readonly string[] | undefined {
  const kind = String(metadata?.kind);
  return Object.hasOwn(POSITION_FIELDS, kind) ? POSITION_FIELDS[kind] : undefined;
}

/** Returns the namespace of the messages that a record names. */
export function messageNamespace({
  metadata,
  namespace,
}: Pick<MemoryEntry, "metadata" | "namespace">): string {
  return String(metadata?.kind).startsWith("learner_") ? CONVERSATIONS_NAMESPACE : namespace;
}

/**
 * Returns a record with other positions. The frontier of a learner is reset: its next search finds all
 * messages, and the cursors contain those that are learned. The key and the content of a summary in parts stay.
 */
export function withPositions<Entry extends Positioned>(entry: Entry, places: Places): Entry {
  const fields = fieldsOf(entry.metadata);
  if (fields === undefined) return entry;
  if (entry.metadata?.kind === "learner_frontier") return { ...entry, content: { seq: 0, created: 0 } };
  const moved = (value: Json) => replaced(value, fields, places);
  const { key } = entry;
  const copy = { ...entry, content: moved(entry.content), metadata: moved(entry.metadata as Json) };
  const isKeyed = entry.metadata?.kind === "summary" && !isHead(entry) && key.summary === lastCovered(entry);
  return isKeyed ? { ...copy, key: { ...key, summary: lastCovered(copy) } } : copy;
}

/** Returns the last position of a summary as its key has it. */
function lastCovered({ content, metadata }: Pick<Positioned, "content" | "metadata">): string {
  const { covers } = content as { covers?: { to?: Json } };
  return String(metadata?.to ?? covers?.to);
}

function replaced(value: Json, fields: readonly string[], places: Places): Json {
  if (Array.isArray(value)) return value.map((one) => replaced(one, fields, places));
  if (!isJsonObject(value)) return value;
  const changed = Object.entries(value).map(([name, one]) => {
    const isPosition = typeof one === "number" && fields.includes(name);
    return [name, isPosition ? places.position(one) : replaced(one as Json, fields, places)];
  });
  const { from, to } = value;
  const isRange = fields.includes("from") && typeof from === "number" && typeof to === "number";
  return { ...Object.fromEntries(changed), ...(isRange && places.range({ from, to })) };
}
