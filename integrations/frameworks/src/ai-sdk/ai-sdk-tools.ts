import type { LongTermMemory, Tool } from "@membus/agentic";
import { typedTool } from "@membus/agentic/tools";
import { isMemoryError, type OptionsOf, option, optionSet, parseOptions } from "@membus/protocol";
import { z } from "zod";

/** A tool of the AI SDK, version 5 or later. */
export interface AiSdkTool {
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  /** `input` is already validated by the schema. */
  execute(
    input: Record<string, unknown>,
    call?: { readonly abortSignal?: AbortSignal | undefined },
  ): Promise<string>;
}

export const MembusToolsOptionsSchema = optionSet({
  /** Leaves out the tools that write, so that the model can only search. */
  readOnly: option.boolean().default(false),
});

export interface MembusToolsOptions extends OptionsOf<typeof MembusToolsOptionsSchema> {}

/**
 * Returns tools of `@membus/agentic` (`fileTools`, `graphTools`, `blockTools`, ...) for the AI SDK, by name.
 * Errors are thrown, and the SDK passes them to the model.
 */
export function aiSdkTools(tools: readonly Tool[]): Record<string, AiSdkTool> {
  return Object.fromEntries(tools.map((tool) => [tool.name, aiSdkTool(tool)]));
}

/**
 * Returns `searchMemories`, `remember` and `forget` for one memory. The model cannot choose another subject
 * or agent.
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function membusTools(
  memory: LongTermMemory,
  options: MembusToolsOptions = {},
): Record<string, AiSdkTool> {
  const { readOnly } = parseOptions(MembusToolsOptionsSchema, options);
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
        // The model sees only the message.
        throw isMemoryError(error) ? new Error(`${error.code}: ${error.message}`, { cause: error }) : error;
      }
    },
  };
}

function searchTool(memory: LongTermMemory): Tool {
  const parameters = z.object({
    query: z.string().min(1).describe("Text to search for."),
    limit: z.int().min(1).max(50).default(5).describe("Maximum number of results."),
  });
  const description =
    "Search memories from earlier conversations. Call it before you answer anything about the user or their past, instead of guessing.";
  const run = async ({ query, limit }: z.infer<typeof parameters>) =>
    (await memory.retrieve(query, { limit })).asText() || "No memories were found.";
  return typedTool({ name: "searchMemories", description, parameters, run });
}

function rememberTool(memory: LongTermMemory): Tool {
  const parameters = z.object({
    content: z.string().min(1).describe("One self-contained fact: who, what, when."),
  });
  const description =
    "Store a fact for later conversations: a preference, a decision, something about the user. Do not store known facts.";
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
    ids: z.array(z.string().min(1)).min(1).max(50).describe("Ids from search results, as in [memory:<id>]."),
  });
  const description = "Delete memories permanently, such as wrong ones, or if the user asks for it.";
  const run = async ({ ids }: z.infer<typeof parameters>) =>
    `Deleted: ${(await memory.forget({ ids })).count}`;
  return typedTool({ name: "forget", description, parameters, run });
}
