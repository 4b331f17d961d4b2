import type { IncomingMessage } from "node:http";
import { type Clock, within } from "@membus/protocol";
import type { Figures } from "../health/figures.js";
import type { Tokens } from "../tokens.js";
import { AnswerText } from "./answer-text.js";
import type { Call } from "./call.js";
import { type Caller, callerOf } from "./caller.js";
import { type ChatRequest, readChatRequest, withSystemText } from "./chat-request.js";
import { EventBlocks } from "./event-blocks.js";
import type { ResolvedOpenAiOptions } from "./openai-options.js";
import { begin, isEventStream, type MemoryState, passOn, piecesOf } from "./pass-on.js";
import { passRounds } from "./tool-rounds.js";
import { TurnMemory, type TurnMemoryDependencies } from "./turn-memory.js";
import type { Upstream } from "./upstream.js";

export interface CompletionsDependencies extends TurnMemoryDependencies {
  readonly upstream: Upstream;
  readonly tokens: Tokens;
  readonly figures: Figures;
  readonly clock: Clock;
}

/** How an answer is passed on, and what is done with what it said, before its end. */
interface Turn {
  readonly call: Call;
  readonly memory: MemoryState;
  record(answer: string): Promise<void>;
}

/** Completions with a memory: it is put before the model, and keeps the turn. */
export class Completions {
  readonly #dependencies: CompletionsDependencies;
  readonly #options: ResolvedOpenAiOptions;

  constructor(dependencies: CompletionsDependencies, options: ResolvedOpenAiOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
  }

  /** @throws {OpenAiError} for a caller that says of itself what cannot be. */
  async answer(request: IncomingMessage, body: Buffer, call: Call, url: URL): Promise<void> {
    const { upstream, tokens } = this.#dependencies;
    const chat = readChatRequest(body);
    const caller = callerOf(
      request.headers,
      chat ?? { metadata: {}, user: undefined },
      tokens,
      this.#options,
    );
    if (chat === undefined || caller.mode === "off") {
      return passOn(await upstream.ask(url, request, body, call), call, "off");
    }
    await this.#withMemory(request, { body, chat, caller }, call, url);
  }

  async #withMemory(
    request: IncomingMessage,
    { body, chat, caller }: { readonly body: Buffer; readonly chat: ChatRequest; readonly caller: Caller },
    call: Call,
    url: URL,
  ): Promise<void> {
    const turnMemory = new TurnMemory(this.#dependencies, caller);
    const recalled = await this.#inTime(turnMemory.before(chat.messages));
    const memory = recalled === undefined ? "unavailable" : "attached";
    if (memory === "unavailable") this.#dependencies.figures.memoryUnavailable();
    const told = recalled ? withSystemText(body, recalled) : body;
    const ask = (asked: Buffer) => this.#dependencies.upstream.ask(url, request, asked, call);
    let recording: Promise<void> | undefined;
    const record = async (text: string) => {
      recording ??= turnMemory.after(chat.messages, text);
      // Who has seen that memory is gone does not wait for it once more.
      if (memory === "attached") await this.#inTime(recording);
    };
    const tools = memory === "attached" ? await turnMemory.tools(chat) : undefined;
    if (tools === undefined) await this.#passOn(await ask(told), { call, memory, record });
    else {
      const { answerBytesMax } = this.#options;
      await passRounds(told, { call, memory, tools, answerBytesMax, ask, record });
    }
    // What is being recorded counts as under way, so that it is bounded.
    await recording;
  }

  #inTime<T>(work: Promise<T>): Promise<T | undefined> {
    return within(this.#dependencies.clock, this.#options.memoryTimeoutMs, work);
  }

  #passOn(answer: Response, turn: Turn): Promise<void> {
    if (!answer.ok) return passOn(answer, turn.call, turn.memory);
    return isEventStream(answer) ? this.#passStream(answer, turn) : this.#passWhole(answer, turn);
  }

  async #passWhole(answer: Response, { call, memory, record }: Turn): Promise<void> {
    const { answerBytesMax } = this.#options;
    const kept: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of piecesOf(answer, call)) {
      bytes += piece.length;
      if (bytes <= answerBytesMax) kept.push(piece);
      else {
        if (!call.response.headersSent) begin(answer, call, memory);
        for (const held of kept.splice(0)) await call.write(held);
        await call.write(piece);
      }
    }
    const heard = new AnswerText(answerBytesMax);
    heard.add(Buffer.concat(kept).toString("utf8"));
    if (bytes > answerBytesMax || heard.isFinished) await record(heard.text);
    if (!call.response.headersSent) begin(answer, call, memory);
    call.response.end(Buffer.concat(kept));
  }

  /** The turn is recorded before the last piece goes out: who has read the answer finds what was said. */
  async #passStream(answer: Response, { call, memory, record }: Turn): Promise<void> {
    const { answerBytesMax } = this.#options;
    const [blocks, heard] = [new EventBlocks(answerBytesMax), new AnswerText(answerBytesMax)];
    begin(answer, call, memory);
    for await (const piece of piecesOf(answer, call)) {
      for (const { data } of blocks.add(piece)) {
        if (data === "[DONE]" && heard.isFinished) await record(heard.text);
        else heard.add(data);
      }
      await call.write(piece);
    }
    if (heard.isFinished) await record(heard.text);
    call.response.end();
  }
}
