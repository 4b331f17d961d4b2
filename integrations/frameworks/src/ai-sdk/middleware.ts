import type { LongTermMemory } from "@membus/agentic";
import { isMemoryError, option, optionSet, parseOptions, silentLogger } from "@membus/protocol";
import {
  type MiddlewareDependencies,
  type MiddlewareOptions,
  MiddlewareOptionsSchema,
  type ResolvedMiddlewareOptions,
} from "./middleware-options.js";
import { capMemories, type PromptMessage, textIn, turnOf, withMemories } from "./prompt.js";
import { SubjectMemories } from "./subject-memories.js";

const ProviderOptionsSchema = optionSet({ subject: option.text() });

interface CallParams {
  readonly prompt: readonly PromptMessage[];
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
}

/** A part of an answer or of its stream. */
interface AnswerPart {
  readonly type: string;
}

/** Middleware for `wrapLanguageModel` of the AI SDK, version 5 or later. */
export interface MembusMiddleware {
  /** Differs between versions of the SDK, which ignore it. */
  readonly specificationVersion: never;
  transformParams<Params extends CallParams>(options: { readonly params: Params }): Promise<Params>;
  wrapGenerate<Result extends { readonly content: readonly AnswerPart[] }>(options: {
    readonly doGenerate: () => PromiseLike<Result>;
    readonly params: CallParams;
  }): Promise<Result>;
  wrapStream<Part extends AnswerPart, Result extends { stream: ReadableStream<Part> }>(options: {
    readonly doStream: () => PromiseLike<Result & { stream: ReadableStream<Part> }>;
    readonly params: CallParams;
  }): Promise<Result>;
  /** Resolves when this process has no queued work in progress, for any subject. */
  settled(): Promise<void>;
  /** Stops the background work of all memories, including the given one. Queued work stays queued. */
  close(): Promise<void>;
}

/**
 * Returns a memory for any model of the AI SDK: `wrapLanguageModel({ model, middleware:
 * membusMiddleware(memory) })`. Before a turn it adds recalled memories after the system text, marked as
 * data. After the turn it records the texts of user and assistant. Later steps of a turn, after tool calls,
 * get the same memories and record nothing twice.
 *
 * The program can set the subject per call: `providerOptions: { membus: { subject: "user:42" } }`. Any other
 * value there fails with a `TypeError` before anything is recalled.
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function membusMiddleware(
  memory: LongTermMemory,
  options: MiddlewareOptions = {},
  dependencies: MiddlewareDependencies = {},
): MembusMiddleware {
  const turns = new TurnMemories(memory, parseOptions(MiddlewareOptionsSchema, options), dependencies);
  const middleware: Omit<MembusMiddleware, "specificationVersion"> = {
    async transformParams({ params }) {
      const memories = await turns.recall(params);
      return memories === "" ? params : { ...params, prompt: withMemories(params.prompt, memories) };
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      if (!result.content.some(isOwnCall)) await turns.record(params, textIn(result.content));
      return result;
    },
    async wrapStream({ doStream, params }) {
      const result = await doStream();
      return { ...result, stream: result.stream.pipeThrough(recordStream(turns, params)) };
    },
    settled: () => turns.memories.settled(),
    close: () => turns.memories.close(),
  };
  return { ...middleware, specificationVersion: "v3" as never };
}

/** Recalls memories for turns, and records turns. */
class TurnMemories {
  readonly memories: SubjectMemories;
  readonly #subject: string;
  readonly #options: ResolvedMiddlewareOptions;
  readonly #dependencies: MiddlewareDependencies;
  /** Recalled memories by turn, latest last. */
  readonly #recalled = new Map<string, string>();

  constructor(
    memory: LongTermMemory,
    options: ResolvedMiddlewareOptions,
    dependencies: MiddlewareDependencies,
  ) {
    this.memories = new SubjectMemories(memory, options.turnCountMax);
    this.#subject = memory.subject;
    this.#options = options;
    this.#dependencies = dependencies;
  }

  /** Returns a text for the prompt, or "". */
  async recall(params: CallParams): Promise<string> {
    const subject = subjectOf(params) ?? this.#subject;
    const turn = turnOf(params.prompt);
    if (turn === undefined) return "";
    const id = `${subject} ${turn.id}`;
    const earlier = turn.isNew ? undefined : this.#recalled.get(id);
    if (earlier !== undefined) return earlier;
    return this.#orWithout("", async () => {
      const message = { role: "user" as const, content: turn.text };
      const found = await this.memories.forSubject(subject).retrieve(message, this.#options.retrieve);
      return this.#keep(id, capMemories(found.asText(), this.#options.charsMax));
    });
  }

  /**
   * Records the texts of user and assistant of a completed turn. `params` contain recalled memories only in
   * system messages.
   */
  async record(params: CallParams, answer: string): Promise<void> {
    const turn = turnOf(params.prompt);
    if (!this.#options.record || turn === undefined) return;
    const messages = [
      { role: "user" as const, content: turn.text },
      ...(answer === "" ? [] : [{ role: "assistant" as const, content: answer }]),
    ];
    const subject = subjectOf(params) ?? this.#subject;
    await this.#orWithout(undefined, () => this.memories.record(subject, messages, this.#options.wait));
  }

  #keep(id: string, memories: string): string {
    this.#recalled.delete(id);
    this.#recalled.set(id, memories);
    if (this.#recalled.size > this.#options.turnCountMax) {
      this.#recalled.delete(this.#recalled.keys().next().value!);
    }
    return memories;
  }

  async #orWithout<T>(nothing: T, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#options.onError === "throw" || error instanceof TypeError) throw error;
      const code = isMemoryError(error) ? error.code : "model_error";
      const logger = this.#dependencies.logger ?? silentLogger;
      logger.warn({ code, reason: (error as Error).message }, "continuing without memory");
      return nothing;
    }
  }
}

/** Forwards all parts, and records their text at the end of the stream. */
function recordStream<Part extends AnswerPart>(turns: TurnMemories, params: CallParams) {
  let text = "";
  let hasCall = false;
  return new TransformStream<Part, Part>({
    transform(part, controller) {
      hasCall ||= isOwnCall(part);
      if (part.type === "text-delta") text += String((part as { readonly delta?: unknown }).delta);
      controller.enqueue(part);
    },
    async flush() {
      if (!hasCall) await turns.record(params, text);
    },
  });
}

/** Returns whether another step follows. Tool calls that the provider executes do not count. */
function isOwnCall(part: AnswerPart): boolean {
  return (
    part.type === "tool-call" && (part as { readonly providerExecuted?: unknown }).providerExecuted !== true
  );
}

/**
 * Returns the subject of a call. @throws {TypeError} for an invalid one, so that nothing is recorded about a
 * wrong subject.
 */
function subjectOf({ providerOptions }: CallParams): string | undefined {
  const given = providerOptions?.membus;
  if (given === undefined) return undefined;
  return parseOptions(ProviderOptionsSchema, given as never, ["providerOptions", "membus"]).subject;
}
