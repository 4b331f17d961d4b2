import { parseOptions } from "@membus/protocol";
import {
  type ChatMessage,
  type ChatModel,
  CostMeter,
  completeWithRetries,
  ModelError,
  type ModelReply,
  type ModelRequest,
  type ModelStreamPart,
  type RetryOptions,
  RetryOptionsSchema,
  type StreamingChatModel,
} from "../model/index.js";
import type { ContextWindow, SurroundingMessages } from "./context-window.js";

/** A request for the messages of a window. */
export interface WindowRequest extends Omit<ModelRequest, "messages">, SurroundingMessages {}

/** Maximum number of compactions for one request. */
const COMPACTIONS_MAX = 2;

/** Largest context, in tokens, in which an answer without a limit could fill the rest of the context. */
const SMALL_CONTEXT = 32_768;

/**
 * Returns the model's answer to the messages of a window. The window is limited to the context that the model
 * reports, or that it reports when it rejects the messages as too large. They are then compacted and sent again,
 * at most twice. If that is not enough, only `before` and `after` are sent. The answer is not added to the
 * conversation. Without `maxOutputTokens`, an answer may take a quarter of a context of at most 32,768 tokens.
 *
 * @throws {ModelError} as `model.complete` does, after the retries that `retries` allow. "too_large" if
 * compaction cannot make the messages small enough.
 */
export async function completeInWindow(
  model: ChatModel,
  window: ContextWindow,
  request: WindowRequest = {},
  { meter = new CostMeter(window.clock), ...retries }: RetryOptions & { readonly meter?: CostMeter } = {},
): Promise<ModelReply> {
  const retry = parseOptions(RetryOptionsSchema, retries);
  const attempts = new WindowAttempts(model, window, request);
  for (;;) {
    try {
      return await completeWithRetries(model, await attempts.next(), meter, retry);
    } catch (error) {
      await attempts.recover(error);
    }
  }
}

/**
 * Yields the model's answer to the messages of a window, as `completeInWindow` does, without retries.
 *
 * @throws {ModelError} as `model.completeStream` does, and "too_large" as `completeInWindow` does.
 */
export async function* streamInWindow(
  model: StreamingChatModel,
  window: ContextWindow,
  request: WindowRequest = {},
): AsyncGenerator<ModelStreamPart, void, undefined> {
  const attempts = new WindowAttempts(model, window, request);
  for (;;) {
    let hasBegun = false;
    try {
      for await (const part of model.completeStream(await attempts.next())) {
        hasBegun = true;
        yield part;
      }
      return;
    } catch (error) {
      if (hasBegun) throw error;
      await attempts.recover(error);
    }
  }
}

/** The attempts of one request, each with fewer messages. */
class WindowAttempts {
  readonly #model: ChatModel;
  readonly #window: ContextWindow;
  readonly #request: WindowRequest;
  #compactions = 0;
  #hasLearned = false;
  /** True to send only the messages that are not stored. */
  #isAlone = false;

  constructor(model: ChatModel, window: ContextWindow, request: WindowRequest) {
    this.#model = model;
    this.#window = window;
    this.#request = request;
  }

  async next(): Promise<ModelRequest> {
    const { before = [], after = [], ...request } = this.#request;
    await this.#window.readContextTokens(this.#model, request.signal);
    const messages: readonly ChatMessage[] = this.#isAlone
      ? [...before, ...after]
      : await this.#window.messages({ before, after });
    return { maxOutputTokens: this.#answerTokens, ...request, messages };
  }

  /** Prepares the next attempt. @throws `error` if a smaller request cannot help. */
  async recover(error: unknown): Promise<void> {
    if (!(error instanceof ModelError) || error.code !== "too_large" || this.#isAlone) throw error;
    if (this.#learnSize(error.contextTokens)) return;
    if (this.#compactions++ < COMPACTIONS_MAX && (await this.#window.compactForPayloadError())) return;
    if ((this.#request.after ?? []).length === 0) throw error;
    this.#isAlone = true;
  }

  /** @returns true if the provider has reported a smaller context than the known one, once. */
  #learnSize(contextTokens: number | undefined): boolean {
    const { contextTokens: known = Number.POSITIVE_INFINITY } = this.#window;
    if (this.#hasLearned || contextTokens === undefined || contextTokens >= known) return false;
    this.#hasLearned = true;
    return this.#window.limitTo(contextTokens);
  }

  get #answerTokens(): number | undefined {
    const { contextTokens = Number.POSITIVE_INFINITY } = this.#window;
    return contextTokens <= SMALL_CONTEXT ? Math.max(1, Math.floor(contextTokens / 4)) : undefined;
  }
}
