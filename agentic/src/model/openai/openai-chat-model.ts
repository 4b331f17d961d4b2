import { OpenAiClient, type OpenAiClientDependencies, ProviderError } from "@membus/openai-client";
import { type Clock, parseOptions, systemClock } from "@membus/protocol";
import type {
  ModelReply,
  ModelRequest,
  ModelStreamPart,
  StreamingChatModel,
  TokenUsage,
} from "../chat-model.js";
import { ModelError } from "../model-error.js";
import { estimateUsage } from "../token-estimate.js";
import { type AcceptedFields, adaptFields, initialFields } from "./accepted-fields.js";
import { readContextTokens } from "./context-tokens.js";
import {
  type OpenAiChatOptions,
  OpenAiChatOptionsSchema,
  type ResolvedOpenAiChatOptions,
} from "./openai-options.js";
import { modelError } from "./provider-failure.js";
import { readChunk } from "./read-reply.js";
import { ReplyDeadline } from "./reply-deadline.js";
import { requestBody } from "./request-body.js";
import { StreamCollector } from "./stream-collector.js";

const PATH = "/chat/completions";
const PROVIDER = "the model provider";

/** Clock, logger and `fetch`. Absent: the system clock, no log and HTTP of Node. */
export interface OpenAiChatDependencies extends Partial<OpenAiClientDependencies> {}

/**
 * Returns a model that calls the chat completions API of OpenAI or of a compatible server. It reads nothing
 * from the environment, and sends nothing before the first call. Every reply is streamed, so that its time
 * limits work and an answer that runs away ends early. Fields that a provider rejects are left out or replaced,
 * also in later requests: JSON Schemas, the usage of a stream, the name of the output limit.
 *
 * A tool call that the model writes as text counts as a call if the tool is offered: in `<tool_call>`, in a
 * code fence, or as JSON in single or double braces.
 *
 * Only these parts of a message are sent: role, content, name, tool calls and, for a user, images (web
 * addresses or `data:` URLs).
 *
 * Errors:
 * - "rate_limited": 429
 * - "unavailable": 409, 5xx, a failed or lost connection, a stream that ends early
 * - "timeout": 408, or the first part, a later part or the whole reply took too long
 * - "too_large": 413, or an exceeded context
 * - "unauthorized": 401, 403
 * - "refused": the provider's filter
 * - "invalid_output": an invalid or too long reply, or an answer that repeats itself
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
    contextTokens: (signal) => model.contextTokens(signal),
  });
}

class ChatCompletions implements StreamingChatModel {
  readonly #options: ResolvedOpenAiChatOptions;
  readonly #client: OpenAiClient;
  readonly #clock: Clock;
  #accepted: AcceptedFields;

  constructor(options: ResolvedOpenAiChatOptions, client: OpenAiClient, clock: Clock) {
    this.#options = options;
    this.#client = client;
    this.#clock = clock;
    this.#accepted = initialFields(options);
  }

  async complete(request: ModelRequest): Promise<ModelReply> {
    for await (const part of this.completeStream(request)) if (part.type === "reply") return part.reply;
    throw new ModelError("unavailable", "the model provider sent no reply");
  }

  async *completeStream(request: ModelRequest): AsyncGenerator<ModelStreamPart, void, undefined> {
    request.signal?.throwIfAborted();
    const deadline = new ReplyDeadline(this.#clock, this.#options, request.signal);
    const collector = new StreamCollector(request);
    let isAccepted = false;
    try {
      const chunks = await this.#send(request, deadline.signal);
      isAccepted = true;
      for await (const chunk of chunks) {
        deadline.stop();
        const text = collector.add(readChunk(chunk));
        if (text !== "") yield { type: "text", text };
        deadline.waitForNext();
      }
      deadline.stop();
      yield { type: "reply", reply: collector.reply() };
    } catch (error) {
      const isRead = isAccepted || (error instanceof ProviderError && isLate(error));
      throw withUsage(error, collector.usage ?? (isRead ? estimateUsage(request, 0) : undefined));
    } finally {
      deadline.stop();
    }
  }

  async contextTokens(signal?: AbortSignal): Promise<number | undefined> {
    const { contextTokens } = this.#options;
    if (contextTokens > 0) return contextTokens;
    return readContextTokens(this.#client, this.#options.model, this.#clock, signal);
  }

  /** Sends the request, again without the fields that the provider rejects. */
  async #send(request: ModelRequest, signal: AbortSignal): Promise<AsyncGenerator<unknown, void>> {
    let accepted = this.#accepted;
    for (;;) {
      const body = requestBody(request, this.#options, accepted);
      try {
        return await this.#client.stream(PATH, body, signal);
      } catch (error) {
        const adaptation = adaptFields(error, body, accepted);
        if (adaptation === undefined) throw error;
        accepted = adaptation.accepted;
        if (!adaptation.isOnce) this.#accepted = accepted;
      }
    }
  }
}

/** Returns whether the provider did not answer in time. It has the prompt and may charge for it. */
function isLate({ failure, status }: ProviderError): boolean {
  return failure === "timeout" && status === undefined;
}

/** Adds the usage of an incomplete reply to a failure of the model. */
function withUsage(error: unknown, usage: TokenUsage | undefined): unknown {
  if (error instanceof ProviderError) return modelError(error, usage);
  if (!(error instanceof ModelError) || usage === undefined) return error;
  return new ModelError(error.code, error.message, { usage, cause: error });
}
