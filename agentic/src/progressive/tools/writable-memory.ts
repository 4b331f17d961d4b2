import type { EntryInput } from "@membus/agent-client";
import { z } from "zod";
import type { Draft, DraftEntry } from "../draft.js";
import {
  experienceEntry,
  factEntry,
  guidelineEntry,
  KIND_OF_TYPE,
  type MemoryInput,
  type Provenance,
  saidBy,
  type TaskType,
  TOOL_TARGET,
} from "../memory-record.js";
import { toolFigures } from "./tool-figures.js";
import { isMemoryId, isTargetAllowed, type ToolScope } from "./tool-scope.js";

/** Characters of one memory. */
const MEMORY_LENGTH_MAX = 20_000;

export const MemoryContentSchema = z
  .string()
  .trim()
  .min(1)
  .max(MEMORY_LENGTH_MAX)
  .describe("The memory: one statement that can be understood without the conversation.");

/** A memory that tools may write, by what it is about. */
export interface WritableBinding {
  readonly type: Exclude<TaskType, "identity">;
  readonly target: string;
}

export interface WritableMemory extends WritableBinding {
  readonly namespace: string;
  /** What its key is made of. */
  readonly id: string;
  readonly text: string;
  readonly whenToUse: string;
  readonly entry: DraftEntry;
}

/** What the scope is bound to, if it is one to write memories to. */
export function bindingOf({ memoryType, memoryTarget }: ToolScope): WritableBinding | undefined {
  if (memoryType === undefined || memoryType === "identity" || memoryTarget === undefined) return undefined;
  return { type: memoryType, target: memoryType === "tool" ? TOOL_TARGET : memoryTarget };
}

/** The record of a memory. Figures of a guideline are computed from the calls that are recorded. */
export async function entryOf(
  draft: Draft,
  { type, target, id }: WritableBinding & { readonly id: string },
  input: MemoryInput,
  from: Provenance,
): Promise<EntryInput> {
  if (type === "personal") return factEntry(id, target, input, from);
  if (type === "procedural") return experienceEntry(id, target, input, from);
  return guidelineEntry(id, input, await toolFigures(draft, id), from);
}

/** The memory of this id, within what the scope is bound to; undefined for any other, and for what is no id. */
export async function findWritable(
  draft: Draft,
  scope: ToolScope,
  memoryId: string,
): Promise<WritableMemory | undefined> {
  if (!isMemoryId(memoryId)) return undefined;
  const binding = bindingOf(scope);
  const { namespace, entry } = await findEntry(draft, memoryId, binding);
  const memory = entry && asWritable(namespace, entry);
  if (memory === undefined || !isTargetAllowed(scope, memory.target)) return undefined;
  const isBound = binding === undefined || KIND_OF_TYPE[binding.type] === KIND_OF_TYPE[memory.type];
  return isBound ? memory : undefined;
}

async function findEntry(
  draft: Draft,
  memoryId: string,
  binding: WritableBinding | undefined,
): Promise<{ readonly namespace: string; readonly entry: DraftEntry | undefined }> {
  const { space } = draft;
  if (binding === undefined) {
    const [entry] = draft.overlay(await space.find(space.aboutAll, [memoryId]));
    return { namespace: entry?.namespace ?? "", entry };
  }
  const namespace = space.about(binding.target);
  return { namespace, entry: (await draft.read(namespace, [memoryId])).get(memoryId) };
}

function asWritable(namespace: string, entry: DraftEntry): WritableMemory | undefined {
  const {
    memoryType: type,
    memoryTarget: target = "",
    text = "",
    whenToUse = "",
  } = saidBy(entry as Parameters<typeof saidBy>[0]) ?? {};
  if (type !== "personal" && type !== "procedural" && type !== "tool") return undefined;
  const [id] = Object.values(entry.key) as [string];
  return { type, target, namespace, id, text, whenToUse, entry };
}
