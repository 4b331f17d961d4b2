import { type LongTermMemory, type Tool, typedTool } from "@membus/agentic";
import { booleanOption, isMemoryError, type ResolvedOptions, resolveOptions } from "@membus/protocol";
import { z } from "zod";

/** A tool as the AI SDK takes it, of version 5 or later. */
export interface AiSdkTool {
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  /** Its `input` was checked by the schema. */
  execute(
    input: Record<string, unknown>,
    call?: { readonly abortSignal?: AbortSignal | undefined },
  ): Promise<string>;
}

export interface MembusToolsOptions {
  /**
   * Leaves out what writes: the model searches and nothing else.
   * @default false
   */
  readonly readOnly?: boolean | undefined;
}

export const MEMBUS_TOOLS_DEFAULTS = Object.freeze({ readOnly: false });

/**
 * Tools of `@membus/agentic` (`fileTools`, `graphTools`, `blockTools`, ...) for the AI SDK, by their names. What goes wrong is thrown,
 * and the SDK tells the model of it.
 */
export function aiSdkTools(tools: readonly Tool[]): Record<string, AiSdkTool> {
  return Object.fromEntries(tools.map((tool) => [tool.name, aiSdkTool(tool)]));
}

/**
 * `searchMemories`, `remember` and `forget` of one memory; whose it is, the model has no say in.
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function membusTools(
  memory: LongTermMemory,
  options: MembusToolsOptions = {},
): Record<string, AiSdkTool> {
  const { readOnly } = resolveOptions<ResolvedOptions<MembusToolsOptions>>(options, MEMBUS_TOOLS_DEFAULTS, {
    readOnly: booleanOption,
  });
  return aiSdkTools([searchTool(memory), ...(readOnly ? [] : [rememberTool(memory), forgetTool(memory)])]);
}

function aiSdkTool(tool: Tool): AiSdkTool {
  return {
    description: tool.description,
    inputSchema: tool.parameters,
    async execute(input, { abortSignal } = {}) {
      abortSignal?.throwIfAborted();
      try {
        return await tool.run(input, { signal: abortSignal });
      } catch (error) {
        // The model is told of the message alone.
        throw isMemoryError(error) ? new Error(`${error.code}: ${error.message}`, { cause: error }) : error;
      }
    },
  };
}

function searchTool(memory: LongTermMemory): Tool {
  const parameters = z.object({
    query: z.string().min(1).describe("What to look for, in plain words."),
    limit: z.int().min(1).max(50).default(5).describe("Most results."),
  });
  const description =
    "Finds what is remembered from earlier conversations. Call it before you answer anything about the user or their past, instead of guessing.";
  const run = async ({ query, limit }: z.infer<typeof parameters>) =>
    (await memory.retrieve(query, { limit })).asText() || "No memories were found.";
  return typedTool({ name: "searchMemories", description, parameters, run });
}

function rememberTool(memory: LongTermMemory): Tool {
  const parameters = z.object({
    content: z.string().min(1).describe("One fact, understood by itself: who, what, when."),
  });
  const description =
    "Keeps a fact for later conversations: a preference, a decision, something about the user. Not what is known already.";
  const run = async (
    { content }: z.infer<typeof parameters>,
    { signal }: { signal?: AbortSignal | undefined },
  ) => {
    const { outcomes } = await memory.record(content, { trust: "agent", ...(signal && { signal }) });
    return outcomes.map(({ outcome, id, reason }) => `${outcome}: ${id ?? reason}`).join("\n");
  };
  return typedTool({ name: "remember", description, parameters, run });
}

function forgetTool(memory: LongTermMemory): Tool {
  const parameters = z.object({
    ids: z.array(z.string().min(1)).min(1).max(50).describe("As found: the id in [memory:<id>]."),
  });
  const description = "Forgets memories for good, such as those that are wrong or that the user wants gone.";
  const run = async ({ ids }: z.infer<typeof parameters>) =>
    `Forgotten: ${(await memory.forget({ ids })).count}`;
  return typedTool({ name: "forget", description, parameters, run });
}
