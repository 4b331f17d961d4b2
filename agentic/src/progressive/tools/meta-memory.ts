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
import { answer, inDraft, isTargetAllowed, oneByOne, type ToolLine, type ToolScope } from "./tool-scope.js";

interface MetaItem {
  readonly memory_type: TargetType;
  readonly memory_target: string;
}

export const TargetNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(TARGET_LENGTH_MAX)
  .describe("The subject of the memories: a person, a thing or a task.");

/** Returns `add_meta_memory`, which adds targets. */
export function addMetaMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  const add = (draft: Draft) => (item: MetaItem) => addOne(draft, scope, item);
  return listTool<MetaItem>(
    {
      name: "add_meta_memory",
      description:
        "Adds targets for memories: personal for people and things, procedural for tasks. Read the existing targets first.",
      shape: { memory_type: z.enum(TARGET_TYPES), memory_target: TargetNameSchema },
      listName: "meta_memories",
      run: async (items) => answer(await inDraft(scope, (draft) => oneByOne(items, add(draft)))),
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
  return { text: `${added ? "added" : "already exists"}: ${type}(${target})` };
}

export function notAllowedText({ targets = [] }: ToolScope): string {
  return `memory_target must be one of ${targets.map((target) => JSON.stringify(target)).join(", ")}`;
}

/** Returns `read_meta_memory`, which lists layer 0: all targets. */
export function readMetaMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  return plainTool(
    {
      name: "read_meta_memory",
      description: "Lists the targets of memories: type, target and description.",
      shape: {},
      run: () => readMeta(scope, options),
    },
    options,
  );
}

/** Returns layer 0 as text for a model. */
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
