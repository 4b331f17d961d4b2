import { type Clock, systemClock } from "@membus/protocol";
import type { OpenAI } from "openai";
import type { StreamingChatModel } from "../chat-model.js";
import type { ChatCompletions } from "./chat-completions.js";
import { type OpenAiChatOptions, resolveOpenAiChatOptions } from "./openai-options.js";

export interface OpenAiChatDependencies {
  /** Asked instead of one that is made from `apiKey`, `baseUrl` and `responseBytesMax`, which then mean nothing. */
  readonly client?: OpenAI | undefined;
  /** Ends calls that take too long, and reads `Retry-After` dates. The machine's where it is absent. */
  readonly clock?: Clock | undefined;
}

/**
 * A model behind the chat completions API of OpenAI or of a compatible server. Nothing is read from the environment, and
 * nothing sent before the first call. A provider that refuses a JSON Schema is asked for the form of the answer in the
 * prompt instead, and from then on at once where it refuses all of them.
 *
 * Of a message it sends role, content, name, tool calls and, of a user, images: web addresses or `data:` URLs.
 *
 * Calls fail with "rate_limited" for 429, "unavailable" for 409, 5xx, a connection that cannot be made or is lost and a
 * stream that ends early, "timeout" for 408 and after `timeoutMs`, "too_large" for 413 and more than the model's context
 * holds, "unauthorized" for 401 and 403, "refused" where the provider's filter refuses the messages, "invalid_output" for
 * a reply that is no chat completion or too long, "invalid_request" for any other status.
 * @throws {TypeError} for a missing or unknown option, or a value out of range.
 */
export function openaiChatModel(
  input: OpenAiChatOptions,
  { client, clock = systemClock }: OpenAiChatDependencies = {},
): StreamingChatModel {
  const options = resolveOpenAiChatOptions(input);
  let loading: Promise<ChatCompletions> | undefined;
  // Imported at first use: the openai package takes longer to load than all else of this one.
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
