import type { OpenAI } from "openai";
import { loadPrompt } from "../ask/load-prompt.js";
import type { ChatMessage, ModelRequest } from "../chat-model.js";
import type { ResolvedOpenAiChatOptions } from "./openai-options.js";
import { isStrictSchema } from "./strict-schema.js";

type Body = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;
type Message = OpenAI.Chat.ChatCompletionMessageParam;

const NAME_LENGTH_MAX = 64;

/** `asks`: how the model learns in which form to answer: by the provider, or by words in the prompt. */
export function requestBody(
  request: ModelRequest,
  { model, developerRole, outputTokensField }: ResolvedOpenAiChatOptions,
  asks: "provider" | "prompt",
): Body {
  const { messages, tools = [], schema, maxOutputTokens, temperature } = request;
  const asked = schema !== undefined && asks === "prompt" ? withSchemaInPrompt(messages, schema) : messages;
  return {
    model,
    messages: asked.map((message) => toOpenAiMessage(message, developerRole)),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: "function" as const,
        function: { name, description, parameters: { ...parameters } },
      })),
    }),
    ...(schema !== undefined && asks === "provider" && { response_format: responseFormat(schema) }),
    ...(maxOutputTokens !== undefined && { [outputTokensField]: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function responseFormat({
  name,
  schema,
}: NonNullable<ModelRequest["schema"]>): OpenAI.ResponseFormatJSONSchema {
  const strict = isStrictSchema(schema);
  return { type: "json_schema", json_schema: { name, schema: { ...schema }, strict } };
}

/** Below the system message where there is one: some servers take only one, and only in front. */
function withSchemaInPrompt(
  messages: readonly ChatMessage[],
  { name, schema }: NonNullable<ModelRequest["schema"]>,
): readonly ChatMessage[] {
  const demand = loadPrompt("answer-in-json", { name, schema: JSON.stringify(schema) });
  const [first, ...rest] = messages;
  if (first?.role !== "system" && first?.role !== "developer") {
    return [{ role: "system", content: demand }, ...messages];
  }
  const parts = typeof first.content === "string" ? [textPart(first.content)] : (first.content ?? []);
  return [{ ...first, content: [...parts, textPart(demand)] }, ...rest];
}

/** What a provider takes of a message: `structured`, `reasoning`, `agent_calls` and unknown fields stay here. */
function toOpenAiMessage(
  message: ChatMessage,
  developerRole: ResolvedOpenAiChatOptions["developerRole"],
): Message {
  const { role, tool_call_id, tool_calls = [], name } = message;
  const content = contentOf(message);
  if (role === "tool") return { role, content, tool_call_id: tool_call_id ?? "" } as Message;
  return {
    role: role === "developer" ? developerRole : role,
    content: content === "" && tool_calls.length > 0 ? null : content,
    ...(name !== undefined && { name: nameOf(name) }),
    ...(role === "assistant" && tool_calls.length > 0 && { tool_calls: tool_calls.map(toOpenAiCall) }),
  } as Message;
}

/** A text, or parts where it has some. Images are for users alone: of other roles providers refuse them. */
function contentOf({ role, content, images = [] }: ChatMessage): string | object[] {
  if (role !== "user" || images.length === 0) return plainContent(content);
  const parts = typeof content === "string" ? [textPart(content)] : (content ?? []);
  return [...parts, ...images.map((url) => ({ type: "image_url", image_url: { url } }))];
}

/** Texts alone become one text: not every server takes parts where one would do. */
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
  return { id, type: "function" as const, function: { name, arguments: written } };
}

/** Without what OpenAI refuses in a name. */
function nameOf(name: string): string {
  return name.replaceAll(/[\s<|\\/>]/g, "_").slice(0, NAME_LENGTH_MAX);
}
