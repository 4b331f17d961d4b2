import type { ChatMessage, ModelRequest } from "../chat-model.js";
import type { AcceptedFields, OptionalFields } from "./accepted-fields.js";
import type { ResolvedOpenAiChatOptions } from "./openai-options.js";
import { isStrictSchema } from "./strict-schema.js";

/** Body of a request of the chat completions API. */
export interface RequestBody extends OptionalFields {
  readonly model: string;
  readonly messages: readonly object[];
  readonly stream: true;
  readonly tools?: readonly object[];
  readonly temperature?: number;
}

const NAME_LENGTH_MAX = 64;

/** Builds the body of a streamed request with the fields that the provider accepts. */
export function requestBody(
  request: ModelRequest,
  options: ResolvedOpenAiChatOptions,
  accepted: AcceptedFields,
): RequestBody {
  const { messages, tools = [], schema, temperature } = request;
  const { model, developerRole } = options;
  const limit = limitOf(request, options, accepted);
  return {
    model,
    stream: true,
    ...(accepted.streamOptions && { stream_options: { include_usage: true } }),
    messages: messages.map((message) => toOpenAiMessage(message, developerRole)),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: "function",
        function: { name, description, parameters },
      })),
    }),
    ...(schema !== undefined && accepted.schemas && { response_format: responseFormat(schema) }),
    ...(limit !== undefined && { [accepted.tokensField]: limit }),
    ...(temperature !== undefined && { temperature }),
  };
}

/** Returns the output limit to send. An answer that fills a schema may be preceded by thinking. */
function limitOf(
  { maxOutputTokens, schema }: ModelRequest,
  { outputTokensMax, reasoningTokensMax }: ResolvedOpenAiChatOptions,
  accepted: AcceptedFields,
): number | undefined {
  if (maxOutputTokens === undefined) return undefined;
  const wanted = maxOutputTokens + (schema === undefined ? 0 : reasoningTokensMax);
  return Math.min(wanted, outputTokensMax, accepted.tokensMax);
}

function responseFormat({ name, schema }: NonNullable<ModelRequest["schema"]>): object {
  const strict = isStrictSchema(schema);
  return { type: "json_schema", json_schema: { name, schema, strict } };
}

/** Converts a message. `structured`, `reasoning`, `agent_calls` and unknown fields are not sent. */
export function toOpenAiMessage(
  message: ChatMessage,
  developerRole: ResolvedOpenAiChatOptions["developerRole"],
): object {
  const { role, tool_call_id, tool_calls = [], name } = message;
  const content = contentOf(message);
  if (role === "tool") return { role, content, tool_call_id: tool_call_id ?? "" };
  return {
    role: role === "developer" ? developerRole : role,
    content: content === "" && tool_calls.length > 0 ? null : content,
    ...(name !== undefined && { name: nameOf(name) }),
    ...(role === "assistant" && tool_calls.length > 0 && { tool_calls: tool_calls.map(toOpenAiCall) }),
  };
}

/**
 * Returns a text, or parts if there are images. Only user messages may have images, because providers reject
 * them elsewhere.
 */
function contentOf({ role, content, images = [] }: ChatMessage): string | object[] {
  if (role !== "user" || images.length === 0) return plainContent(content);
  const parts = typeof content === "string" ? [textPart(content)] : (content ?? []);
  return [...parts, ...images.map((url) => ({ type: "image_url", image_url: { url } }))];
}

/** Joins text parts into one text, because some servers do not accept parts. */
function plainContent(content: ChatMessage["content"]): string | object[] {
  if (content === null) return "";
  if (typeof content === "string") return content;
  const texts = content.map((part) => (part.type === "text" ? part.text : undefined));
  return texts.every((text) => typeof text === "string") ? texts.join("\n\n") : content;
}

function textPart(text: string): { type: "text"; text: string } {
  return { type: "text", text };
}

function toOpenAiCall({ id, name, arguments: written }: NonNullable<ChatMessage["tool_calls"]>[number]) {
  return { id, type: "function", function: { name, arguments: written } };
}

/** Replaces characters that OpenAI rejects in a name. */
function nameOf(name: string): string {
  return name.replaceAll(/[\s<|\\/>]/g, "_").slice(0, NAME_LENGTH_MAX);
}
