import { type Clock, systemClock } from "@membus/protocol";
import type { OpenAI } from "openai";
import type { StreamingChatModel } from "../chat-model.js";
import type { ChatCompletions } from "./chat-completions.js";
import { type OpenAiChatOptions, resolveOpenAiChatOptions } from "./openai-options.js";

export interface OpenAiChatDependencies {
  /** Client to use. `apiKey`, `baseUrl` and `responseBytesMax` are then ignored. */
  readonly client?: OpenAI | undefined;
  /** Clock for timeouts and `Retry-After` dates. Absent: the system clock. */
  readonly clock?: Clock | undefined;
}

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
  { client, clock = systemClock }: OpenAiChatDependencies = {},
): StreamingChatModel {
  const options = resolveOpenAiChatOptions(input);
  let loading: Promise<ChatCompletions> | undefined;
  // Imported at the first call, because the openai package loads slowly.
  const load = () => {
    loading ??= import("./chat-completions.js").then(
      ({ ChatCompletions }) => new ChatCompletions(options, client, clock),
    );
    return loading;
  };
  return Object.freeze<StreamingChatModel>({
    async complete(request) {
      return (await load()).complete(request);
    },
    async *completeStream(request) {
      yield* (await load()).completeStream(request);
    },
  });
}
