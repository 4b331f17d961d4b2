import type { ChatMessage, ModelRequest } from "../chat-model.js";
import { loadPrompt } from "../generate/load-prompt.js";
import type { ResolvedOpenAiChatOptions } from "./openai-options.js";
import { isStrictSchema } from "./strict-schema.js";

/** Body of a request of the chat completions API. */
export interface RequestBody {
  readonly model: string;
  readonly messages: readonly object[];
  readonly tools?: readonly object[];
  readonly response_format?: object;
  readonly temperature?: number;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
}

const NAME_LENGTH_MAX = 64;

/**
 * Builds the body of a request. `schemaIn` selects where the schema goes: to the provider, or into the
 * prompt.
 */
export function requestBody(
  request: ModelRequest,
  { model, developerRole, outputTokensField }: ResolvedOpenAiChatOptions,
  schemaIn: "provider" | "prompt",
): RequestBody {
  const { messages, tools = [], schema, maxOutputTokens, temperature } = request;
  const allMessages =
    schema !== undefined && schemaIn === "prompt" ? withSchemaInPrompt(messages, schema) : messages;
  return {
    model,
    messages: allMessages.map((message) => toOpenAiMessage(message, developerRole)),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: "function",
        function: { name, description, parameters },
      })),
    }),
    ...(schema !== undefined && schemaIn === "provider" && { response_format: responseFormat(schema) }),
    ...(maxOutputTokens !== undefined && { [outputTokensField]: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function responseFormat({ name, schema }: NonNullable<ModelRequest["schema"]>): object {
  const strict = isStrictSchema(schema);
  return { type: "json_schema", json_schema: { name, schema, strict } };
}

/**
 * Appends the schema to the system message, or adds one in front. Some servers accept only one, at the start.
 */
function withSchemaInPrompt(
  messages: readonly ChatMessage[],
  { name, schema }: NonNullable<ModelRequest["schema"]>,
): readonly ChatMessage[] {
  const instruction = loadPrompt("answer-in-json", { name, schema: JSON.stringify(schema) });
  const [first, ...rest] = messages;
  if (first?.role !== "system" && first?.role !== "developer") {
    return [{ role: "system", content: instruction }, ...messages];
  }
  const parts = typeof first.content === "string" ? [textPart(first.content)] : (first.content ?? []);
  return [{ ...first, content: [...parts, textPart(instruction)] }, ...rest];
}

/** Converts a message. `structured`, `reasoning`, `agent_calls` and unknown fields are not sent. */
function toOpenAiMessage(
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
