import type { LongTermMemory } from "@membus/agentic";
import { isMemoryError, type OptionRule, resolveOptions, silentLogger } from "@membus/protocol";
import {
  type MiddlewareDependencies,
  type MiddlewareOptions,
  type ResolvedMiddlewareOptions,
  resolveMiddlewareOptions,
} from "./middleware-options.js";
import { PeopleMemories } from "./people-memories.js";
import { capped, type PromptMessage, textIn, turnOf, withMemories } from "./prompt.js";

interface CallParams {
  readonly prompt: readonly PromptMessage[];
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
}

/** A part of an answer, or of a stream of one. */
interface AnswerPart {
  readonly type: string;
}

/** What `wrapLanguageModel` of the AI SDK takes, of version 5 or later. */
export interface MembusMiddleware {
  /** Versions of the SDK have different ones here, and none looks at it. */
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
  /** When nothing that was queued is being done by this process, whoever it is about. */
  settled(): Promise<void>;
  /** Ends the background of all memories, also of that which was given. What is queued stays so, and is not begun here. */
  close(): Promise<void>;
}

/**
 * Memory for any model of the AI SDK: `wrapLanguageModel({ model, middleware: membusMiddleware(memory) })`. Before a turn it puts what
 * is remembered of it behind the system text, as data; when the turn is answered, it records what user and assistant said. Steps of a
 * turn that follow on calls of tools get the same memories, and record nothing twice.
 *
 * Whom the memories are about may be said for each call, by the program: `providerOptions: { membus: { subject: "user:42" } }`.
 * Where that says anything else the call fails with a `TypeError`, before anything is recalled.
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function membusMiddleware(
  memory: LongTermMemory,
  options: MiddlewareOptions = {},
  dependencies: MiddlewareDependencies = {},
): MembusMiddleware {
  const turns = new RememberedTurns(memory, resolveMiddlewareOptions(options), dependencies);
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
      return { ...result, stream: result.stream.pipeThrough(recording(turns, params)) };
    },
    settled: () => turns.memories.settled(),
    close: () => turns.memories.close(),
  };
  return { ...middleware, specificationVersion: "v3" as never };
}

/** What is recalled for turns, and recorded of them. */
class RememberedTurns {
  readonly memories: PeopleMemories;
  readonly #subject: string;
  readonly #options: ResolvedMiddlewareOptions;
  readonly #dependencies: MiddlewareDependencies;
  /** What was recalled, by turn; the latest last. */
  readonly #recalled = new Map<string, string>();

  constructor(
    memory: LongTermMemory,
    options: ResolvedMiddlewareOptions,
    dependencies: MiddlewareDependencies,
  ) {
    this.memories = new PeopleMemories(memory, options.turnCountMax);
    this.#subject = memory.subject;
    this.#options = options;
    this.#dependencies = dependencies;
  }

  /** A text for the prompt; "" for none. */
  async recall(params: CallParams): Promise<string> {
    const subject = subjectOf(params) ?? this.#subject;
    const turn = turnOf(params.prompt);
    if (turn === undefined) return "";
    const id = `${subject} ${turn.id}`;
    const earlier = turn.isNew ? undefined : this.#recalled.get(id);
    if (earlier !== undefined) return earlier;
    return this.#orWithout("", async () => {
      const said = { role: "user" as const, content: turn.text };
      const found = await this.memories.forSubject(subject).retrieve(said, this.#options.retrieve);
      return this.#keep(id, capped(found.asText(), this.#options.charsMax));
    });
  }

  /** What user and assistant said in a turn that is over. `params` may have what was recalled, in system messages alone. */
  async record(params: CallParams, answer: string): Promise<void> {
    const turn = turnOf(params.prompt);
    if (!this.#options.record || turn === undefined) return;
    const said = [
      { role: "user" as const, content: turn.text },
      ...(answer === "" ? [] : [{ role: "assistant" as const, content: answer }]),
    ];
    const subject = subjectOf(params) ?? this.#subject;
    await this.#orWithout(undefined, () => this.memories.record(subject, said, this.#options.wait));
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
      logger.warn({ code, reason: (error as Error).message }, "the model goes on without its memory");
      return nothing;
    }
  }
}

/** Passes all parts on, and records what they say when they have ended. */
function recording<Part extends AnswerPart>(turns: RememberedTurns, params: CallParams) {
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

/** After which the model is asked again: not one that the provider itself has run. */
function isOwnCall(part: AnswerPart): boolean {
  return (
    part.type === "tool-call" && (part as { readonly providerExecuted?: unknown }).providerExecuted !== true
  );
}

/** @throws {TypeError} for anything but a name: what is wrong must not be about someone else. */
function subjectOf({ providerOptions }: CallParams): string | undefined {
  const given = providerOptions?.membus;
  if (given === undefined) return undefined;
  return resolveOptions<{ readonly subject: string }>(given, { subject: "" }, { subject: subjectOption })
    .subject;
}

const subjectOption: OptionRule = (value, name) => {
  if (typeof value !== "string" || value === "") {
    throw new TypeError(
      `providerOptions.membus.${name} must be a text that is not empty, got ${String(value)}`,
    );
  }
};
