import type { EntryInput } from "@membus/agent-client";
import {
  type Filter,
  type MemoryEntry,
  type MetadataValue,
  type RecordContent,
  type RecordKind,
  readRecord,
  recordEntry,
  type Trust,
} from "@membus/protocol";
import { kindIs } from "../kind-filter.js";

export const MEMORY_TYPES = ["identity", "personal", "procedural", "tool", "summary", "history"] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** The types that have a special agent, and of these the ones that have targets of their own. */
export const TASK_TYPES = ["identity", "personal", "procedural", "tool"] as const;
export type TaskType = (typeof TASK_TYPES)[number];
export const TARGET_TYPES = ["personal", "procedural"] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

/** The one target of tool memory, and of identity. */
export const TOOL_TARGET = "tool_guidelines";
export const IDENTITY_TARGET = "self";
/** The label of the block that holds who the agent is. */
export const IDENTITY_LABEL = "identity";

/** One memory, as it is given to callers and models. */
export interface Memory {
  /** Key hash of its record. */
  readonly memoryId: string;
  readonly memoryType: MemoryType;
  /** Of a summary: what it is about, joined with `&`; "" where nothing was named. */
  readonly memoryTarget: string;
  readonly text: string;
  /** When an experience is of use; the tool that a guideline is for. */
  readonly whenToUse?: string | undefined;
  /** What a guideline's calls came to. */
  readonly figures?: RecordContent<"guideline">["figures"] | undefined;
  /** The history that it was derived from: what `read_history_memory` takes. */
  readonly historyId?: string | undefined;
  /** How well it answers the query, 0..1; 1 where nothing was asked. */
  readonly score: number;
  /** What else its record says of it. */
  readonly metadata: Readonly<Record<string, MetadataValue>>;
  /** Unix seconds. */
  readonly updatedAt: number;
}

/** What a new memory says; `metadata` is what a model adds of its own. */
export interface MemoryInput {
  readonly text: string;
  readonly whenToUse?: string | undefined;
  readonly metadata?: Readonly<Record<string, MetadataValue>> | undefined;
}

/** Where a memory comes from. */
export interface Provenance {
  readonly trust: Trust;
  readonly historyId?: string | undefined;
}

/** Of an experience whose outcome nobody has told: neither good nor bad. */
const VALUE_UNKNOWN = 0.5;

/** What is stored in metadata by us, and so not by a model. */
export const RESERVED_METADATA: readonly string[] = [
  "kind",
  "about",
  "trust",
  "superseded_by",
  "ref_memory_id",
  "tool",
  "targets",
  "level",
];

export function factEntry(id: string, target: string, input: MemoryInput, from: Provenance): EntryInput {
  const metadata = { ...input.metadata, about: target, ...provenance(from) };
  const content = { text: input.text };
  return recordEntry({ kind: "fact", key: { fact: id }, content, metadata });
}

/** Found by when it is of use, and for less by what it says. */
export function experienceEntry(
  id: string,
  target: string,
  { text, whenToUse = "", metadata: given = {} }: MemoryInput,
  from: Provenance,
): EntryInput {
  const value = typeof given.value === "number" ? given.value : VALUE_UNKNOWN;
  const metadata = { ...given, value, about: target, ...provenance(from) } as { value: number };
  const content = { text, when_to_use: whenToUse };
  return {
    ...recordEntry({ kind: "experience", key: { experience: id }, content, metadata }),
    text: whenToUse === "" ? text : whenToUse,
    context: whenToUse === "" ? null : text,
  };
}

/** One for each tool: found by its name and by what it says. */
export function guidelineEntry(
  tool: string,
  { text, metadata: given }: MemoryInput,
  figures: RecordContent<"guideline">["figures"],
  from: Provenance,
): EntryInput {
  const metadata = { ...given, tool, ...provenance(from) };
  const content = { text, figures };
  const record = recordEntry({ kind: "guideline", key: { guideline: tool }, content, metadata });
  return { ...record, group: tool, text: `${tool}: ${text}` };
}

function provenance({ trust, historyId }: Provenance): { trust: Trust; ref_memory_id?: string } {
  return { trust, ...(historyId !== undefined && { ref_memory_id: historyId }) };
}

/** The kind of record that holds a type of memory. */
export const KIND_OF_TYPE = {
  identity: "block",
  personal: "fact",
  procedural: "experience",
  tool: "guideline",
  summary: "summary",
  history: "history",
} as const satisfies Record<MemoryType, RecordKind>;

/** The memories of `types` that hold at `now` (Unix seconds): none that is superseded or no longer valid. */
export function currentMemories(types: readonly MemoryType[], now: number): Filter {
  const kinds = types.map((type) => KIND_OF_TYPE[type]);
  return {
    all: [
      kindIs(...kinds),
      { field: "metadata.superseded_by", op: "exists", value: false },
      { not: { field: "metadata.valid_until", op: "lte", value: now } },
    ],
  };
}

/** An entry as the memory that it holds; undefined for what is none. */
export function readMemory(entry: MemoryEntry): Memory | undefined {
  const said = saidBy(entry);
  if (said === undefined) return undefined;
  const { kind, ref_memory_id: historyId, ...metadata } = entry.metadata ?? {};
  return {
    memoryId: entry.key_hash,
    ...said,
    ...(typeof historyId === "string" && { historyId }),
    score: entry.score,
    metadata,
    updatedAt: entry.timestamps.updated,
  };
}

type Said = Pick<Memory, "memoryType" | "memoryTarget" | "text" | "whenToUse" | "figures">;

/** What a record says as a memory; undefined for what is none. */
export function saidBy(entry: Parameters<typeof readRecord>[0]): Said | undefined {
  const fact = readRecord(entry, "fact");
  if (fact !== undefined) {
    return { memoryType: "personal", memoryTarget: fact.metadata.about, text: fact.content.text };
  }
  const experience = readRecord(entry, "experience");
  if (experience !== undefined) {
    const { text, when_to_use: whenToUse } = experience.content;
    const memoryTarget = String(experience.metadata.about ?? "");
    return { memoryType: "procedural", memoryTarget, text, whenToUse };
  }
  const guideline = readRecord(entry, "guideline");
  if (guideline !== undefined) {
    const { text, figures } = guideline.content;
    return {
      memoryType: "tool",
      memoryTarget: TOOL_TARGET,
      text,
      whenToUse: guideline.metadata.tool,
      figures,
    };
  }
  return saidBySummary(entry) ?? saidByBlock(entry);
}

function saidBySummary(entry: Parameters<typeof readRecord>[0]): Said | undefined {
  const summary = readRecord(entry, "summary");
  if (summary === undefined) return undefined;
  const { targets } = summary.metadata;
  const memoryTarget = Array.isArray(targets) ? targets.join("&") : "";
  return { memoryType: "summary", memoryTarget, text: summary.content.text };
}

function saidByBlock(entry: Parameters<typeof readRecord>[0]): Said | undefined {
  const block = readRecord(entry, "block");
  if (block === undefined || block.metadata.label !== IDENTITY_LABEL) return undefined;
  const { value } = block.content;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { memoryType: "identity", memoryTarget: IDENTITY_TARGET, text };
}
