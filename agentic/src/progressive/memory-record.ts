import type { EntryInput } from "@membus/agent-client";
import type { Filter, MemoryEntry, MetadataValue } from "@membus/protocol";
import {
  type RecordContent,
  type RecordKind,
  readRecord,
  recordEntry,
  type Trust,
} from "@membus/protocol/records";
import { kindIs } from "../kind-filter.js";
import { newestSources } from "../sources.js";

export const MEMORY_TYPES = ["identity", "personal", "procedural", "tool", "summary", "history"] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** The types with a special agent, and the types with separate targets. */
export const TASK_TYPES = ["identity", "personal", "procedural", "tool"] as const;
export type TaskType = (typeof TASK_TYPES)[number];
export const TARGET_TYPES = ["personal", "procedural"] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

/** The only target of tool memory, and of identity. */
export const TOOL_TARGET = "tool_guidelines";
export const IDENTITY_TARGET = "self";
/** Label of the block with the agent's identity. */
export const IDENTITY_LABEL = "identity";

/** A memory in the form for callers and models. */
export interface ProgressiveItem {
  /** Key hash of its record. */
  readonly memoryId: string;
  readonly memoryType: MemoryType;
  /** Target. For a summary: its targets joined with `&`, or "" if it has none. */
  readonly memoryTarget: string;
  readonly text: string;
  /** Situation in which an experience is useful, or the tool of a guideline. */
  readonly whenToUse?: string | undefined;
  /** Statistics of a guideline's calls. */
  readonly figures?: RecordContent<"guideline">["figures"] | undefined;
  /** Id of the history that it was derived from, for `read_history_memory`. */
  readonly historyId?: string | undefined;
  /** Score of the query, 0..1. 1 without a query. */
  readonly score: number;
  /** Other metadata of its record. */
  readonly metadata: Readonly<Record<string, MetadataValue>>;
  /** Unix seconds. */
  readonly updatedAt: number;
}

/** Content of a new memory. `metadata` comes from a model. */
export interface MemoryInput {
  readonly text: string;
  readonly whenToUse?: string | undefined;
  readonly metadata?: Readonly<Record<string, MetadataValue>> | undefined;
}

/** Origin of a memory. */
export interface Provenance {
  readonly trust: Trust;
  readonly historyId?: string | undefined;
  /** Sources of the memory that this one replaces. */
  readonly sources?: readonly string[] | undefined;
}

/** Value of an experience with an unknown outcome. */
const VALUE_UNKNOWN = 0.5;

/** Metadata fields that this package sets, so a model must not. */
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
  return { ...recordEntry({ kind: "fact", key: { fact: id }, content, metadata }), ...lineage(from) };
}

/**
 * Returns the entry of an experience. It is found mainly by `when_to_use`, and with less weight by its text.
 */
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
    ...lineage(from),
    text: whenToUse === "" ? text : whenToUse,
    context: whenToUse === "" ? null : text,
  };
}

/** Returns the entry of a tool's guideline. It is found by the tool's name and by its text. */
export function guidelineEntry(
  tool: string,
  { text, metadata: given }: MemoryInput,
  figures: RecordContent<"guideline">["figures"],
  from: Provenance,
): EntryInput {
  const metadata = { ...given, tool, ...provenance(from) };
  const content = { text, figures };
  const record = recordEntry({ kind: "guideline", key: { guideline: tool }, content, metadata });
  return { ...record, ...lineage(from), group: tool, text: `${tool}: ${text}` };
}

function provenance({ trust, historyId }: Provenance): { trust: Trust; ref_memory_id?: string } {
  return { trust, ...(historyId !== undefined && { ref_memory_id: historyId }) };
}

/** Returns the sources: the history, which in turn is derived from messages. */
function lineage({ historyId, sources = [] }: Provenance): { sources?: string[] } {
  const named = newestSources(historyId === undefined ? sources : [...sources, historyId]);
  return named.length === 0 ? {} : { sources: named };
}

/** Record kind of each memory type. */
export const KIND_OF_TYPE = {
  identity: "block",
  personal: "fact",
  procedural: "experience",
  tool: "guideline",
  summary: "summary",
  history: "history",
} as const satisfies Record<MemoryType, RecordKind>;

/** Selects memories of `types` that are valid at `now` (Unix seconds) and not superseded. */
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

/** Reads an entry as a memory. undefined for other entries. */
export function readMemory(entry: MemoryEntry): ProgressiveItem | undefined {
  const fields = memoryFieldsOf(entry);
  if (fields === undefined) return undefined;
  const { kind, ref_memory_id: historyId, ...metadata } = entry.metadata ?? {};
  return {
    memoryId: entry.key_hash,
    ...fields,
    ...(typeof historyId === "string" && { historyId }),
    score: entry.score,
    metadata,
    updatedAt: entry.timestamps.updated,
  };
}

type MemoryFields = Pick<ProgressiveItem, "memoryType" | "memoryTarget" | "text" | "whenToUse" | "figures">;

/** Returns the memory fields of a record. undefined for other records. */
export function memoryFieldsOf(entry: Parameters<typeof readRecord>[0]): MemoryFields | undefined {
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
  return summaryFields(entry) ?? identityFields(entry);
}

function summaryFields(entry: Parameters<typeof readRecord>[0]): MemoryFields | undefined {
  const summary = readRecord(entry, "summary");
  if (summary === undefined) return undefined;
  const { targets } = summary.metadata;
  const memoryTarget = Array.isArray(targets) ? targets.join("&") : "";
  return { memoryType: "summary", memoryTarget, text: summary.content.text };
}

function identityFields(entry: Parameters<typeof readRecord>[0]): MemoryFields | undefined {
  const block = readRecord(entry, "block");
  if (block === undefined || block.metadata.label !== IDENTITY_LABEL) return undefined;
  const { value } = block.content;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { memoryType: "identity", memoryTarget: IDENTITY_TARGET, text };
}
