import { type MemoryEntry, type MemoryKey, type MemoryRecord, readRecord } from "@membus/protocol";
import { guidelineText } from "../practice/figures.js";

/** What long-term memory holds. */
export const MEMORY_KINDS = ["fact", "experience", "guideline", "tool_call"] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** A memory as it is given: its record, and what every kind has. */
export type LongTermItem = { [Kind in MemoryKind]: ItemOf<Kind> }[MemoryKind];

interface ItemOf<Kind extends MemoryKind> {
  readonly kind: Kind;
  /** Of a guideline: its tool. */
  readonly id: string;
  /** What it says, for a reader. */
  readonly text: string;
  /** How well it answers the query, 0..1; 1 where there was none. */
  readonly score: number;
  /** The form of chapter 7: content and metadata with all that the kind has. */
  readonly record: MemoryRecord<Kind>;
  readonly keyHash: string;
  readonly revision: number;
  /** Unix seconds. */
  readonly created: number;
  /** Unix seconds: when it was so. */
  readonly occurredAt: number;
}

/** The keys that memories of an id may have. */
export function keysOf(id: string): MemoryKey[] {
  return [{ fact: id }, { experience: id }, { guideline: id }, { tool_call: id }];
}

/** Undefined for an entry of another kind, or not as its kind is. */
export function readItem(entry: MemoryEntry): LongTermItem | undefined {
  const common = {
    score: entry.score,
    keyHash: entry.key_hash,
    revision: entry.revision,
    created: entry.timestamps.created,
    occurredAt: entry.occurred_at,
  };
  const kind = MEMORY_KINDS.find((known) => known === entry.metadata?.kind);
  switch (kind) {
    case "fact": {
      const record = readRecord(entry, kind);
      return record && { ...common, kind, id: record.key.fact, text: record.content.text, record };
    }
    case "experience": {
      const record = readRecord(entry, kind);
      return record && { ...common, kind, id: record.key.experience, text: record.content.text, record };
    }
    case "guideline": {
      const record = readRecord(entry, kind);
      return (
        record && { ...common, kind, id: record.key.guideline, text: guidelineText(record.content), record }
      );
    }
    case "tool_call": {
      const record = readRecord(entry, kind);
      return record && { ...common, kind, id: record.key.tool_call, text: callText(record.content), record };
    }
    case undefined:
      return undefined;
  }
}

function callText({ tool, input, output, success }: MemoryRecord<"tool_call">["content"]): string {
  const said = typeof output === "string" ? output : JSON.stringify(output);
  return `${tool}(${JSON.stringify(input)}) ${success ? "gave" : "failed with"} ${said}`;
}
