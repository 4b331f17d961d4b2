import { type FixtureResponse, LLMock } from "@copilotkit/aimock";
import type { ScriptedReply } from "./script.js";
import type { Rendered } from "./send.js";

/** Renders answers in OpenAI's format, plain and streamed, with a mock server library. */
export class Rendering {
  readonly #mock: LLMock;
  readonly #answers = new Map<string, ScriptedReply>();
  #next = 0;

  private constructor(mock: LLMock) {
    this.#mock = mock;
    mock.on({}, ({ _context: scripted }) => toFixture(this.#answers.get(String(scripted)) ?? {}));
  }

  static async start(): Promise<Rendering> {
    const mock = new LLMock({ port: 0, host: "127.0.0.1", journalMaxEntries: 1 });
    const rendering = new Rendering(mock);
    await mock.start();
    return rendering;
  }

  /** Returns the response for `answer`. */
  async render(path: string, body: object, answer: ScriptedReply): Promise<Rendered> {
    const scripted = String(this.#next++);
    this.#answers.set(scripted, answer);
    try {
      const response = await fetch(this.#mock.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", "x-aimock-context": scripted },
        body: JSON.stringify(body),
      });
      return { contentType: response.headers.get("content-type") ?? "", text: await response.text() };
    } finally {
      this.#answers.delete(scripted);
    }
  }

  stop(): Promise<void> {
    return this.#mock.stop();
  }
}

function toFixture({ text, json, calls = [], refusal, finishReason, usage }: ScriptedReply): FixtureResponse {
  const content = refusal ?? (json === undefined ? (text ?? "") : JSON.stringify(json));
  const toolCalls = calls.map(({ name, id, arguments: args }) => ({
    name,
    arguments: typeof args === "string" ? args : JSON.stringify(args),
    ...(id !== undefined && { id }),
  }));
  const envelope = {
    ...(finishReason !== undefined && { finishReason }),
    ...(usage && { usage: { prompt_tokens: usage.inputTokens, completion_tokens: usage.outputTokens } }),
  };
  if (toolCalls.length === 0) return { content, ...envelope };
  return content === "" ? { toolCalls, ...envelope } : { content, toolCalls, ...envelope };
}
