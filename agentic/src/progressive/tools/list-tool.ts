import { z } from "zod";
import { type Tool, type ToolContext, withThinking } from "../../tools/index.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";

/** Maximum number of items of a call. */
const ITEMS_MAX = 100;

interface ToolPlan {
  readonly name: string;
  readonly description: string;
  /** Parameters of a call with one item. */
  readonly shape: z.ZodRawShape;
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<string>;
}

/**
 * Returns a memory tool with one item per call, and with a first parameter `thinking` if the options enable
 * it.
 */
export function plainTool(
  { name, description, shape, run }: ToolPlan,
  { enableThinkingParams }: Pick<ResolvedMemoryToolOptions, "enableThinkingParams">,
): Tool {
  const tool: Tool = { name, description, parameters: z.strictObject(shape), run };
  return enableThinkingParams ? withThinking(tool) : tool;
}

interface ListToolPlan<Item> extends Omit<ToolPlan, "run"> {
  /** In multi mode, the parameter with the list. */
  readonly listName: string;
  /** In multi mode, the parameter with the values of the list. Absent: the list contains objects. */
  readonly elementName?: string | undefined;
  run(items: readonly Item[], context: ToolContext): Promise<string>;
}

/** Returns a memory tool that takes a list, or one item per call if the options disable lists. */
export function listTool<Item>(plan: ListToolPlan<Item>, options: ResolvedMemoryToolOptions): Tool {
  const { shape, listName, elementName, run } = plan;
  if (!options.enableMultiple) {
    return plainTool({ ...plan, run: (args, context) => run([args as Item], context) }, options);
  }
  const element = elementName === undefined ? z.strictObject(shape) : shape[elementName]!;
  const list = z.array(element).min(1).max(ITEMS_MAX);
  const runList = (args: Readonly<Record<string, unknown>>, context: ToolContext) => {
    const elements = args[listName] as readonly unknown[];
    const items = elements.map((value) => (elementName === undefined ? value : { [elementName]: value }));
    return run(items as Item[], context);
  };
  return plainTool({ ...plan, shape: { [listName]: list }, run: runList }, options);
}
