import type * as Agentic from "@membus/agentic";
import type { Tool } from "@membus/agentic";
import { insertJson } from "./chat-request.js";
import { childrenOf, memberOf, rootOf } from "./json-spans.js";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Calls of one answer that are run; the model is told of the others. */
const CALL_COUNT_MAX = 16;

/** The tools of memory, offered beside those of the application. */
export class MemoryTools {
  readonly #agentic: typeof Agentic;
  readonly #tools: readonly Tool[];

  /** @param taken names of the application's own tools, which stay its own. */
  constructor(agentic: typeof Agentic, tools: readonly Tool[], taken: ReadonlySet<string>) {
    this.#agentic = agentic;
    this.#tools = tools.filter(({ name }) => !taken.has(name));
  }

  has(name: string | undefined): boolean {
    return this.#tools.some((tool) => tool.name === name);
  }

  /** The request with these tools, too. */
  offeredIn(body: Buffer): Buffer {
    const root = rootOf(body);
    const offered = this.#agentic
      .toOpenAiTools(this.#tools)
      .map((tool) => JSON.stringify(tool))
      .join(",");
    const given = memberOf(body, root, "tools");
    if (given === undefined || body[given.start] !== "[".charCodeAt(0)) {
      return given === undefined ? insertJson(body, root.end - 1, `,"tools":[${offered}]`) : body;
    }
    const comma = childrenOf(body, given).length > 0 ? "," : "";
    return insertJson(body, given.end - 1, comma + offered);
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

  /** The request with the model's calls, and what came of them. */
  async answeredIn(
    body: Buffer,
    said: { readonly text: string; readonly calls: readonly ToolCall[] },
    signal: AbortSignal,
  ): Promise<Buffer> {
    const results = await this.run(said.calls, signal);
    const tool_calls = said.calls.map(({ id, ...rest }) => ({ id, type: "function", function: rest }));
    const messages = [
      { role: "assistant", content: said.text === "" ? null : said.text, tool_calls },
      ...results.map((content, n) => ({ role: "tool", tool_call_id: said.calls[n]!.id, content })),
    ];
    const { end } = memberOf(body, rootOf(body), "messages")!;
    return insertJson(body, end - 1, messages.map((message) => `,${JSON.stringify(message)}`).join(""));
  }
}
