import type * as Agentic from "@membus/agentic";
import type { Tool } from "@membus/agentic";
import type { OpenAiTool } from "@membus/agentic/tools";
import type { ToolCall } from "./model-api.js";

/** Calls of one answer that are run. The model receives an error for the others. */
const CALL_COUNT_MAX = 16;

/** The memory tools that a model is offered in addition to the tools of the application. */
export class MemoryTools {
  readonly #agentic: typeof Agentic;
  readonly #tools: readonly Tool[];
  /** Declarations for the model. */
  readonly offered: readonly OpenAiTool[];

  /** @param taken tool names of the application. Memory tools with these names are not offered. */
  constructor(agentic: typeof Agentic, tools: readonly Tool[], taken: ReadonlySet<string>) {
    this.#agentic = agentic;
    this.#tools = tools.filter(({ name }) => !taken.has(name));
    this.offered = agentic.toOpenAiTools(this.#tools);
  }

  has(name: unknown): boolean {
    return this.#tools.some((tool) => tool.name === name);
  }

  /** Runs calls, and returns their results in order. */
  run(calls: readonly ToolCall[], signal: AbortSignal): Promise<string[]> {
    return Promise.all(
      calls.map(async (call, index) =>
        index < CALL_COUNT_MAX
          ? this.#agentic.callTool(this.#tools, call, { signal })
          : `Only the first ${CALL_COUNT_MAX} calls of an answer are run.`,
      ),
    );
  }
}
