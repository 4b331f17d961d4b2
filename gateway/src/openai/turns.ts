import type { IncomingMessage } from "node:http";
import { type Clock, withTimeout } from "@membus/protocol";
import type { GatewayMetrics } from "../health/gateway-metrics.js";
import type { Tokens } from "../tokens.js";
import { AnswerText } from "./answer-text.js";
import type { Call } from "./call.js";
import { type Caller, callerOf } from "./caller.js";
import { askInContext } from "./context-limit.js";
import { EventReader } from "./event-reader.js";
import { LatestAnswers } from "./latest-answers.js";
import type { Continuation, ModelApi, TurnRequest } from "./model-api.js";
import { OpenAiError } from "./openai-error.js";
import type { ResolvedOpenAiOptions } from "./openai-options.js";
import { begin, isEventStream, type MemoryState, passOn, piecesOf } from "./pass-on.js";
import { passRounds } from "./tool-rounds.js";
import { questionIn, TurnMemory, type TurnMemoryDependencies } from "./turn-memory.js";
import type { Upstream } from "./upstream.js";

export interface TurnsDependencies extends TurnMemoryDependencies {
  readonly upstream: Upstream;
  readonly tokens: Tokens;
  readonly metrics: GatewayMetrics;
  readonly clock: Clock;
}

/** A request to the model as it was received. */
interface ReceivedRequest {
  readonly api: ModelApi;
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly call: Call;
  readonly url: URL;
}

/** How an answer is passed on and recorded. */
interface Turn {
  readonly api: ModelApi;
  readonly call: Call;
  readonly memory: MemoryState;
  /** Characters of the text that is kept. */
  readonly answerLengthMax: number;
  /** Bytes of one event, or of a whole answer, that is parsed. */
  readonly eventBytesMax: number;
  /** Returns "unavailable" if the turn is not recorded in time. */
  record(answer: AnswerText): Promise<MemoryState>;
}

/** Size factor for an answer that repeats its request in another spelling. */
const REPEATED_FACTOR = 3;

/** Adds memory to the turns of a conversation, and records them. */
export class Turns {
  readonly #dependencies: TurnsDependencies;
  readonly #options: ResolvedOpenAiOptions;
  readonly #continuations = new LatestAnswers<Continuation>();
  /** Questions of users by answer. A request with tool results does not repeat the question. */
  readonly #questions = new LatestAnswers<string>();

  constructor(dependencies: TurnsDependencies, options: ResolvedOpenAiOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
  }

  /** @throws {OpenAiError} for an invalid agent, mode or conversation, and for a compressed body. */
  async answer({ body: came, ...asked }: ReceivedRequest): Promise<void> {
    const { api, request, call, url } = asked;
    const { upstream, tokens } = this.#dependencies;
    const turn = api.read(came);
    const named = turn ?? { metadata: {}, user: undefined };
    const caller = callerOf(request.headers, named, tokens, this.#options);
    const continuation = this.#continuations.of(caller, turn?.follows);
    const body = continuation === undefined ? came : api.continuedIn(came, continuation);
    if (turn === undefined && caller.mode !== "off") refuseEncoded(request);
    if (turn === undefined || caller.mode === "off") {
      return passOn(await upstream.ask(url, request, body, call), call, "off");
    }
    const follows = continuation?.id ?? turn.follows;
    await this.#withMemory({ ...asked, body }, { ...turn, follows }, caller);
  }

  async #withMemory(
    { api, request, body, call, url }: ReceivedRequest,
    turnRequest: TurnRequest,
    caller: Caller,
  ): Promise<void> {
    const turnMemory = new TurnMemory(this.#dependencies, caller);
    const question = questionIn(turnRequest.messages) ?? this.#questions.of(caller, turnRequest.follows);
    const recalled = await this.#inTime(turnMemory.before(question));
    const memory = recalled === undefined ? "unavailable" : "attached";
    if (memory === "unavailable") this.#dependencies.metrics.memoryUnavailable();
    const prompted = recalled ? api.withSystemText(body, recalled) : body;
    const ask = (asked: Buffer) =>
      askInContext(asked, api.messagesField, (shortened) =>
        this.#dependencies.upstream.ask(url, request, shortened, call),
      );
    let recording: Promise<boolean> | undefined;
    let recorded: Promise<boolean | undefined> | undefined;
    const record = async ({ text, id, isEmpty }: AnswerText): Promise<MemoryState> => {
      if (isEmpty) return memory;
      if (id !== undefined && question !== undefined) this.#questions.keep(caller, id, question);
      recording ??= turnMemory.after(turnRequest.messages, text);
      // A client that received "unavailable" does not wait for memory again.
      recorded ??= memory === "attached" ? this.#inTime(recording) : Promise.resolve(undefined);
      return (await recorded) === true ? memory : "unavailable";
    };
    const tools = memory === "attached" ? await turnMemory.tools(turnRequest) : undefined;
    const turn = { api, call, memory, record, ...this.#boundsOf(api, prompted) } as const;
    if (tools === undefined) await this.#passOn(await ask(prompted), turn);
    else {
      const keep = (continuation: Continuation) =>
        this.#continuations.keep(caller, continuation.shownId, continuation);
      await passRounds(prompted, { ...turn, tools, ask, keep });
    }
    // The request stays open while it is recorded, so that recordings are bounded.
    await recording;
  }

  #boundsOf({ repeatsRequest }: ModelApi, body: Buffer): Pick<Turn, "answerLengthMax" | "eventBytesMax"> {
    const { answerBytesMax } = this.#options;
    const repeatedBytes = repeatsRequest ? REPEATED_FACTOR * body.length : 0;
    return { answerLengthMax: answerBytesMax, eventBytesMax: answerBytesMax + repeatedBytes };
  }

  #inTime<T>(work: Promise<T>): Promise<T | undefined> {
    return withTimeout(this.#dependencies.clock, this.#options.memoryTimeoutMs, work);
  }

  #passOn(answer: Response, turn: Turn): Promise<void> {
    if (!answer.ok) return passOn(answer, turn.call, turn.memory);
    return isEventStream(answer) ? this.#passStream(answer, turn) : this.#passWhole(answer, turn);
  }

  async #passWhole(answer: Response, turn: Turn): Promise<void> {
    const { api, call, memory, answerLengthMax, eventBytesMax, record } = turn;
    const kept: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of piecesOf(answer, call)) {
      bytes += piece.length;
      if (bytes <= eventBytesMax) kept.push(piece);
      else {
        if (!call.hasBegun) begin(answer, call, memory);
        for (const held of kept.splice(0)) await call.write(held);
        await call.write(piece);
      }
    }
    const answerText = new AnswerText(api, answerLengthMax);
    answerText.add(Buffer.concat(kept).toString("utf8"));
    const isOver = bytes > eventBytesMax || answerText.isFinished;
    const state = isOver ? await record(answerText) : memory;
    if (!call.hasBegun) begin(answer, call, state);
    call.endBody(Buffer.concat(kept));
  }

  /**
   * Records the turn before the last piece is sent, so that a client that has read the answer finds the
   * memories.
   */
  async #passStream(answer: Response, turn: Turn): Promise<void> {
    const { api, call, memory, answerLengthMax, eventBytesMax, record } = turn;
    const [reader, answerText] = [new EventReader(eventBytesMax), new AnswerText(api, answerLengthMax)];
    begin(answer, call, memory);
    for await (const piece of piecesOf(answer, call)) {
      for (const { data } of reader.read(piece)) answerText.add(data);
      if (answerText.isFinished) await record(answerText);
      await call.write(piece);
    }
    call.endBody();
  }
}

/** Refuses a body that the gateway cannot read, because it would be answered without memory. */
function refuseEncoded({ headers }: IncomingMessage): void {
  const { "content-encoding": encoding = "identity" } = headers;
  if (encoding === "identity") return;
  const message = `the gateway reads no body with content-encoding ${encoding}: send it without, or with x-membus-mode off`;
  throw new OpenAiError(415, "unsupported_content_encoding", message);
}
