import { type ChatModel, openaiChatModel } from "@membus/agentic";

/** A small model on a shared processor needs minutes for a long prompt. */
const FIRST_TOKEN_TIMEOUT_MS = 600_000;

/**
 * Returns a model of the server in MEMBUS_CHAT_URL: by default the one that MEMBUS_CHAT_MODEL names.
 * MEMBUS_CHAT_KEY is the key of the server. undefined without a server or a name.
 */
export function chatModel(model = process.env.MEMBUS_CHAT_MODEL): ChatModel | undefined {
  const { MEMBUS_CHAT_URL: baseUrl, MEMBUS_CHAT_KEY: apiKey } = process.env;
  if (!baseUrl || !model) return undefined;
  const firstTokenTimeoutMs = FIRST_TOKEN_TIMEOUT_MS;
  return openaiChatModel({ baseUrl, model, ...(apiKey && { apiKey }), firstTokenTimeoutMs });
}
