import { z } from "zod";
import type { Tool } from "../../tools/index.js";
import type { Draft } from "../draft.js";
import { TARGET_TYPES, type TargetType } from "../memory-record.js";
import {
  addTarget,
  IDENTITY_META,
  listTargets,
  readTargets,
  TARGET_LENGTH_MAX,
  TOOL_META,
} from "../targets.js";
import { listTool, plainTool } from "./list-tool.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";
import { answer, inDraft, inTurn, isTargetAllowed, type ToolLine, type ToolScope } from "./tool-scope.js";

interface MetaItem {
  readonly memory_type: TargetType;
  readonly memory_target: string;
}

export const TargetNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(TARGET_LENGTH_MAX)
  .describe("Whom or what the memories are about: a person, a task.");

/** `add_meta_memory`: new types and targets of memory. */
export function addMetaMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  const add = (draft: Draft) => (item: MetaItem) => addOne(draft, scope, item);
  return listTool<MetaItem>(
    {
      name: "add_meta_memory",
      description:
        "Adds targets that memories can be about: personal for people and things, procedural for tasks. Read first which there are.",
      shape: { memory_type: z.enum(TARGET_TYPES), memory_target: TargetNameSchema },
      listName: "meta_memories",
      run: async (items) => answer(await inDraft(scope, (draft) => inTurn(items, add(draft)))),
    },
    options,
  );
}

async function addOne(
  draft: Draft,
  scope: ToolScope,
  { memory_type: type, memory_target: target }: MetaItem,
): Promise<ToolLine> {
  if (!isTargetAllowed(scope, target)) return { text: `not added: ${notAllowedText(scope)}` };
  const added = await addTarget(draft, type, target);
  return { text: `${added ? "added" : "there already"}: ${type}(${target})` };
}

export function notAllowedText({ targets = [] }: ToolScope): string {
  return `memory_target is one of ${targets.map((target) => JSON.stringify(target)).join(", ")}`;
}

/** `read_meta_memory`: layer 0, all that memories are about. */
export function readMetaMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  return plainTool(
    {
      name: "read_meta_memory",
      description: "Lists what there are memories about: type, target and description.",
      shape: {},
      run: () => readMeta(scope, options),
    },
    options,
  );
}

/** Layer 0, as a model reads it. */
export async function readMeta(
  { space, targets }: Pick<ToolScope, "space" | "targets">,
  {
    enableToolMemory,
    enableIdentityMemory,
  }: Pick<ResolvedMemoryToolOptions, "enableToolMemory" | "enableIdentityMemory">,
): Promise<string> {
  return listTargets([
    ...(await readTargets(space, targets)),
    ...(enableToolMemory ? [TOOL_META] : []),
    ...(enableIdentityMemory ? [IDENTITY_META] : []),
  ]);
}
