import { isJsonObject, type Json, type MemoryEntry } from "@membus/protocol";
import { isHead } from "@membus/protocol/records";
import { CONVERSATIONS_NAMESPACE } from "../conversation/index.js";

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

/** Returns the positions of a record, each once. Empty for other entries. */
export function positionsOf(entry: Positioned): number[] {
  const found = new Set<number>();
  withPositions(entry, (seq) => {
    if (seq > 0) found.add(seq);
    return seq;
  });
  return [...found];
}

/**
 * Returns a record with other positions. The frontier of a learner is reset: its next search finds all
 * messages, and the cursors contain those that are learned. The key and the content of a summary in parts stay.
 */
export function withPositions<Entry extends Positioned>(entry: Entry, place: (seq: number) => number): Entry {
  const fields = fieldsOf(entry.metadata);
  if (fields === undefined) return entry;
  if (entry.metadata?.kind === "learner_frontier") return { ...entry, content: { seq: 0, created: 0 } };
  const moved = (value: Json) => replaced(value, fields, place);
  const { key } = entry;
  const isKeyed = entry.metadata?.kind === "summary" && !isHead(entry) && /^\d+$/.test(String(key.summary));
  return {
    ...entry,
    ...(isKeyed && { key: { ...key, summary: String(place(Number(key.summary))) } }),
    content: moved(entry.content),
    metadata: moved(entry.metadata as Json),
  };
}

function replaced(value: Json, fields: readonly string[], place: (seq: number) => number): Json {
  if (Array.isArray(value)) return value.map((one) => replaced(one, fields, place));
  if (!isJsonObject(value)) return value;
  const changed = Object.entries(value).map(([name, one]) => {
    const isPosition = typeof one === "number" && fields.includes(name);
    return [name, isPosition ? place(one) : replaced(one as Json, fields, place)];
  });
  return Object.fromEntries(changed);
}
