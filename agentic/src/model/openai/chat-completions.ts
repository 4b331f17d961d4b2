import { type Clock, untilAborted } from "@membus/protocol";
import { OpenAI } from "openai";
import type { ModelReply, ModelRequest, ModelStreamPart, StreamingChatModel } from "../chat-model.js";
import type { ModelError } from "../model-error.js";
import { Deadline } from "./deadline.js";
import { createGuardedFetch } from "./guarded-fetch.js";
import type { ResolvedOpenAiChatOptions } from "./openai-options.js";
import { providerFailure, refusesSchema } from "./provider-failure.js";
import { readChunk, readCompletion } from "./read-reply.js";
import { requestBody } from "./request-body.js";
import { StreamCollector } from "./stream-collector.js";

/** Asks the chat completions API by way of the openai package. */
export class ChatCompletions implements StreamingChatModel {
  readonly #options: ResolvedOpenAiChatOptions;
  readonly #client: OpenAI;
  readonly #clock: Clock;
  #takesSchemas = true;

  constructor(options: ResolvedOpenAiChatOptions, client: OpenAI | undefined, clock: Clock) {
    this.#options = options;
    this.#client = client ?? createClient(options);
    this.#clock = clock;
  }

  async complete(request: ModelRequest): Promise<ModelReply> {
    const deadline = this.#deadline(request);
    try {
      const completion = await this.#ask(request, (body) =>
        untilAborted(this.#client.chat.completions.create(body, this.#call(deadline)), deadline.signal),
      );
      return readCompletion(completion);
    } catch (error) {
      deadline.check();
      throw this.#failure(error);
    } finally {
      deadline.stop();
    }
  }

  #failure(error: unknown): ModelError {
    return providerFailure(error, { clock: this.#clock, address: new URL(this.#client.baseURL).origin });
  }

  async *completeStream(request: ModelRequest): AsyncGenerator<ModelStreamPart, void, undefined> {
    const deadline = this.#deadline(request);
    const collector = new StreamCollector();
    try {
      const stream = await this.#ask(request, (body) =>
        untilAborted(
          this.#client.chat.completions.create(
            { ...body, stream: true, stream_options: { include_usage: true } },
            this.#call(deadline),
          ),
          deadline.signal,
        ),
      );
      for await (const chunk of stream) {
        // How long the reader takes does not count.
        deadline.stop();
        const text = collector.add(readChunk(chunk));
        if (text !== "") yield { type: "text", text };
        deadline.extend();
      }
      // An aborted stream of the openai package ends as if it were complete.
      deadline.check();
      yield { type: "reply", reply: collector.reply() };
    } catch (error) {
      deadline.check();
      throw this.#failure(error);
    } finally {
      deadline.stop();
    }
  }

  /** Once with the schema, and where the provider refuses that, once more with words. */
  async #ask<T>(
    request: ModelRequest,
    send: (body: ReturnType<typeof requestBody>) => Promise<T>,
  ): Promise<T> {
    const body = requestBody(request, this.#options, this.#takesSchemas ? "provider" : "prompt");
    try {
      return await send(body);
    } catch (error) {
      const refused = body.response_format === undefined ? undefined : refusesSchema(error);
      if (refused === undefined) throw error;
      if (refused === "any") this.#takesSchemas = false;
      return await send(requestBody(request, this.#options, "prompt"));
    }
  }

  #deadline({ signal }: ModelRequest): Deadline {
    signal?.throwIfAborted();
    return new Deadline(this.#clock, this.#options.timeoutMs, signal);
  }

  #call({ signal }: Deadline) {
    const { timeoutMs, retryCountMax } = this.#options;
    return { signal, timeout: timeoutMs, maxRetries: retryCountMax };
  }
}

/** Nothing comes from the environment: what is not given here ends up in headers, which the guarded fetch drops. */
function createClient(options: ResolvedOpenAiChatOptions): OpenAI {
  return new OpenAI({
    baseURL: options.baseUrl,
    // The package insists on a key; the header below, which wins, is what counts.
    apiKey: options.apiKey || "none",
    defaultHeaders: { Authorization: options.apiKey === "" ? null : `Bearer ${options.apiKey}` },
    fetch: createGuardedFetch(options),
    // It would write replies that it cannot parse to the console.
    logLevel: "off",
  });
}
