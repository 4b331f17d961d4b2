import { abortable, type Clock } from "@membus/protocol";
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

/** Calls the chat completions API with the openai package. */
export class ChatCompletions implements StreamingChatModel {
  readonly #options: ResolvedOpenAiChatOptions;
  readonly #client: OpenAI;
  readonly #clock: Clock;
  #acceptsSchemas = true;

  constructor(options: ResolvedOpenAiChatOptions, client: OpenAI | undefined, clock: Clock) {
    this.#options = options;
    this.#client = client ?? createClient(options);
    this.#clock = clock;
  }

  async complete(request: ModelRequest): Promise<ModelReply> {
    const deadline = this.#deadline(request);
    try {
      const completion = await this.#sendWithSchema(request, (body) =>
        abortable(this.#client.chat.completions.create(body, this.#callOptions(deadline)), deadline.signal),
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
      const stream = await this.#sendWithSchema(request, (body) =>
        abortable(
          this.#client.chat.completions.create(
            { ...body, stream: true, stream_options: { include_usage: true } },
            this.#callOptions(deadline),
          ),
          deadline.signal,
        ),
      );
      for await (const chunk of stream) {
        // The time that the consumer takes does not count.
        deadline.stop();
        const text = collector.add(readChunk(chunk));
        if (text !== "") yield { type: "text", text };
        deadline.extend();
      }
      // An aborted stream of the openai package ends like a complete one.
      deadline.check();
      yield { type: "reply", reply: collector.reply() };
    } catch (error) {
      deadline.check();
      throw this.#failure(error);
    } finally {
      deadline.stop();
    }
  }

  /**
   * Sends the request with the schema. If the provider rejects the schema, sends it again with the schema in
   * the prompt.
   */
  async #sendWithSchema<T>(
    request: ModelRequest,
    send: (body: ReturnType<typeof requestBody>) => Promise<T>,
  ): Promise<T> {
    const body = requestBody(request, this.#options, this.#acceptsSchemas ? "provider" : "prompt");
    try {
      return await send(body);
    } catch (error) {
      const refused = body.response_format === undefined ? undefined : refusesSchema(error);
      if (refused === undefined) throw error;
      if (refused === "any") this.#acceptsSchemas = false;
      return await send(requestBody(request, this.#options, "prompt"));
    }
  }

  #deadline({ signal }: ModelRequest): Deadline {
    signal?.throwIfAborted();
    return new Deadline(this.#clock, this.#options.timeoutMs, signal);
  }

  #callOptions({ signal }: Deadline) {
    const { timeoutMs, retryCountMax } = this.#options;
    return { signal, timeout: timeoutMs, maxRetries: retryCountMax };
  }
}

/**
 * Creates a client without values from the environment. Headers that the package adds from there are dropped
 * by the guarded fetch.
 */
function createClient(options: ResolvedOpenAiChatOptions): OpenAI {
  return new OpenAI({
    baseURL: options.baseUrl,
    // The package requires a key. The header below overrides it.
    apiKey: options.apiKey || "none",
    defaultHeaders: { Authorization: options.apiKey === "" ? null : `Bearer ${options.apiKey}` },
    fetch: createGuardedFetch(options),
    // Otherwise the package logs unreadable replies to the console.
    logLevel: "off",
  });
}
