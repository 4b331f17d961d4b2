import type { EntryInput } from "@membus/agent-client";
import { z } from "zod";
import type { Draft, DraftEntry } from "../draft.js";
import {
  experienceEntry,
  factEntry,
  guidelineEntry,
  KIND_OF_TYPE,
  type MemoryInput,
  memoryFieldsOf,
  type Provenance,
  type TaskType,
  TOOL_TARGET,
} from "../memory-record.js";
import { toolFigures } from "./tool-figures.js";
import { isMemoryId, isTargetAllowed, type ToolScope } from "./tool-scope.js";

/** Maximum number of characters of a memory. */
const MEMORY_LENGTH_MAX = 20_000;

export const MemoryContentSchema = z
  .string()
  .trim()
  .min(1)
  .max(MEMORY_LENGTH_MAX)
  .describe("The memory: one statement that is understandable without the conversation.");

/** Type and target of memories that tools may write. */
export interface WritableBinding {
  readonly type: Exclude<TaskType, "identity">;
  readonly target: string;
}

export interface WritableMemory extends WritableBinding {
  readonly namespace: string;
  /** Id in its key. */
  readonly id: string;
  readonly text: string;
  readonly whenToUse: string;
  readonly entry: DraftEntry;
}

/** Returns the type and target of the scope, if tools may write to them. */
export function bindingOf({ memoryType, memoryTarget }: ToolScope): WritableBinding | undefined {
  if (memoryType === undefined || memoryType === "identity" || memoryTarget === undefined) return undefined;
  return { type: memoryType, target: memoryType === "tool" ? TOOL_TARGET : memoryTarget };
}

/** Returns the entry of a memory. Statistics of a guideline are computed from the recorded calls. */
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

/** Returns the memory with this id if the scope allows it. undefined otherwise, and for an invalid id. */
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
    const [entry] = draft.overlay(await space.find(space.allTargetNamespaces, [memoryId]));
    return { namespace: entry?.namespace ?? "", entry };
  }
  const namespace = space.targetNamespace(binding.target);
  return { namespace, entry: (await draft.read(namespace, [memoryId])).get(memoryId) };
}

function asWritable(namespace: string, entry: DraftEntry): WritableMemory | undefined {
  const {
    memoryType: type,
    memoryTarget: target = "",
    text = "",
    whenToUse = "",
  } = memoryFieldsOf(entry as Parameters<typeof memoryFieldsOf>[0]) ?? {};
  if (type !== "personal" && type !== "procedural" && type !== "tool") return undefined;
  const [id] = Object.values(entry.key) as [string];
  return { type, target, namespace, id, text, whenToUse, entry };
}
