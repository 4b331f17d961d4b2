import { Deadline, OpenAiClient, type OpenAiClientDependencies, ProviderError } from "@membus/openai-client";
import { abortable, type Clock, parseOptions, systemClock } from "@membus/protocol";
import type { ModelReply, ModelRequest, ModelStreamPart, StreamingChatModel } from "../chat-model.js";
import {
  type OpenAiChatOptions,
  OpenAiChatOptionsSchema,
  type ResolvedOpenAiChatOptions,
} from "./openai-options.js";
import { modelError, refusesSchema } from "./provider-failure.js";
import { readChunk, readCompletion } from "./read-reply.js";
import { type RequestBody, requestBody } from "./request-body.js";
import { StreamCollector } from "./stream-collector.js";

const PATH = "/chat/completions";
const PROVIDER = "the model provider";

/** Clock, logger and `fetch`. Absent: the system clock, no log and the `fetch` of Node. */
export interface OpenAiChatDependencies extends Partial<OpenAiClientDependencies> {}

/**
 * Returns a model that calls the chat completions API of OpenAI or of a compatible server. It reads nothing
 * from the environment, and sends nothing before the first call. If a provider rejects a JSON Schema, the
 * schema is put into the prompt. If it rejects all schemas, later requests do so immediately.
 *
 * Only these parts of a message are sent: role, content, name, tool calls and, for a user, images (web
 * addresses or `data:` URLs).
 *
 * Errors:
 * - "rate_limited": 429
 * - "unavailable": 409, 5xx, a failed or lost connection, a stream that ends early
 * - "timeout": 408, or no reply within `timeoutMs`
 * - "too_large": 413, or an exceeded context
 * - "unauthorized": 401, 403
 * - "refused": the provider's filter
 * - "invalid_output": an invalid or too long reply
 * - "invalid_request": any other status
 *
 * @throws {TypeError} for a missing or unknown option, or a value out of range.
 */
export function openaiChatModel(
  input: OpenAiChatOptions,
  { clock = systemClock, ...dependencies }: OpenAiChatDependencies = {},
): StreamingChatModel {
  const options = parseOptions(OpenAiChatOptionsSchema, input);
  const names = { provider: PROVIDER, showsOrigin: true, component: "chat-model" };
  const client = new OpenAiClient({ ...options, ...names }, { clock, ...dependencies });
  const model = new ChatCompletions(options, client, clock);
  return Object.freeze<StreamingChatModel>({
    complete: (request) => model.complete(request),
    completeStream: (request) => model.completeStream(request),
  });
}

class ChatCompletions implements StreamingChatModel {
  readonly #options: ResolvedOpenAiChatOptions;
  readonly #client: OpenAiClient;
  readonly #clock: Clock;
  #acceptsSchemas = true;

  constructor(options: ResolvedOpenAiChatOptions, client: OpenAiClient, clock: Clock) {
    this.#options = options;
    this.#client = client;
    this.#clock = clock;
  }

  async complete(request: ModelRequest): Promise<ModelReply> {
    const deadline = this.#deadline(request);
    try {
      const reply = await this.#sendWithSchema(request, (body) =>
        abortable(this.#client.post(PATH, body, deadline.signal), deadline.signal),
      );
      return readCompletion(reply);
    } catch (error) {
      throw error instanceof ProviderError ? modelError(error) : error;
    } finally {
      deadline.stop();
    }
  }

  async *completeStream(request: ModelRequest): AsyncGenerator<ModelStreamPart, void, undefined> {
    const deadline = this.#deadline(request);
    const collector = new StreamCollector();
    try {
      const stream = await this.#sendWithSchema(request, (body) =>
        this.#client.stream(
          PATH,
          { ...body, stream: true, stream_options: { include_usage: true } },
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
      yield { type: "reply", reply: collector.reply() };
    } catch (error) {
      throw error instanceof ProviderError ? modelError(error) : error;
    } finally {
      deadline.stop();
    }
  }

  /**
   * Sends the request with the schema. If the provider rejects the schema, sends it again with the schema in
   * the prompt.
   */
  async #sendWithSchema<T>(request: ModelRequest, send: (body: RequestBody) => Promise<T>): Promise<T> {
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
    return new Deadline(this.#clock, this.#options.timeoutMs, PROVIDER, signal);
  }
}
