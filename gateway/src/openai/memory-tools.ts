import type * as Agentic from "@membus/agentic";
import type { OpenAiTool, Tool } from "@membus/agentic";
import type { ToolCall } from "./model-api.js";

/** Calls of one answer that are run; the model is told of the others. */
const CALL_COUNT_MAX = 16;

/** The tools of memory, offered beside those of the application. */
export class MemoryTools {
  readonly #agentic: typeof Agentic;
  readonly #tools: readonly Tool[];
  /** As models are told of them. */
  readonly offered: readonly OpenAiTool[];

  /** @param taken names of the application's own tools, which stay its own. */
  constructor(agentic: typeof Agentic, tools: readonly Tool[], taken: ReadonlySet<string>) {
    this.#agentic = agentic;
    this.#tools = tools.filter(({ name }) => !taken.has(name));
    this.offered = agentic.toOpenAiTools(this.#tools);
  }

  has(name: unknown): boolean {
    return this.#tools.some((tool) => tool.name === name);
  }

  /** What came of calls, in their order. */
  run(calls: readonly ToolCall[], signal: AbortSignal): Promise<string[]> {
    return Promise.all(
      calls.map(async (call, index) =>
        index < CALL_COUNT_MAX
          ? this.#agentic.callTool(this.#tools, call, { signal })
          : `Only ${CALL_COUNT_MAX} calls of an answer are run.`,
      ),
    );
  }
}
