import type { MemoryEntry, MemoryKey } from "@membus/protocol";
import { type MemoryRecord, readRecord } from "@membus/protocol/records";
import { guidelineText } from "../procedural/figures.js";

/** The record kinds of long-term memory. */
export const MEMORY_KINDS = ["fact", "experience", "guideline", "tool_call"] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** A memory: its record, and the fields common to all kinds. */
export type LongTermItem = { [Kind in MemoryKind]: ItemOf<Kind> }[MemoryKind];

interface ItemOf<Kind extends MemoryKind> {
  readonly kind: Kind;
  /** For a guideline: its tool. */
  readonly id: string;
  /** Readable text. */
  readonly text: string;
  /** Score of the query, 0..1. 1 without a query. */
  readonly score: number;
  /** The record of chapter 7 with its content and metadata. */
  readonly record: MemoryRecord<Kind>;
  readonly keyHash: string;
  readonly revision: number;
  /** Unix seconds. */
  readonly created: number;
  /** Unix seconds of the event. */
  readonly occurredAt: number;
}

/** Returns the keys that a memory with this id may have. */
export function keysOf(id: string): MemoryKey[] {
  return [{ fact: id }, { experience: id }, { guideline: id }, { tool_call: id }];
}

/** Returns undefined for an entry of another kind, or an invalid one. */
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
  const result = typeof output === "string" ? output : JSON.stringify(output);
  return `${tool}(${JSON.stringify(input)}) ${success ? "returned" : "failed with"} ${result}`;
}
