import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import type { ChatMessage } from "@membus/agentic";
import { isJsonObject, type Json } from "@membus/protocol";
import { RoleSchema } from "@membus/protocol/records";
import { toJsonValue } from "../values/index.js";

/** Field of a message with the data that only LangChain uses. */
const FIELD = "langchain";

const ROLES: Readonly<Record<string, ChatMessage["role"]>> = {
  human: "user",
  ai: "assistant",
  system: "system",
  tool: "tool",
  function: "tool",
};

type Data = Readonly<Record<string, Json>>;

/**
 * Converts a message to the form of all programs, with the data to restore LangChain's own.
 * @throws {TypeError} for a message that LangChain could not read again, such as a removal.
 */
export function toChatMessage(message: BaseMessage): ChatMessage {
  const { type, data } = toJsonValue(mapChatMessagesToStoredMessages([message])[0], "message") as {
    readonly type: string;
    readonly data: Data;
  };
  checkReadable({ type, data } as unknown as StoredMessage);
  const { content = null, ...rest } = data;
  const isForAll = typeof content === "string" || isParts(content);
  return {
    role: ROLES[type] ?? RoleSchema.safeParse(data.role).data ?? "user",
    content: isForAll ? content : null,
    ...(typeof data.name === "string" && data.name !== "" && { name: data.name }),
    ...(typeof data.tool_call_id === "string" && { tool_call_id: data.tool_call_id }),
    ...callsOf(data),
    [FIELD]: { type, data: isForAll ? rest : data },
  } as ChatMessage;
}

/** Converts a message back, also one of another program. */
export function fromChatMessage(message: ChatMessage): BaseMessage {
  const kept = (message as { readonly [FIELD]?: { readonly type: string; readonly data: Data } })[FIELD];
  if (kept === undefined) return fromOther(message);
  const content = message.content ?? kept.data.content ?? "";
  const stored = { type: kept.type, data: { ...kept.data, content } } as unknown as StoredMessage;
  return mapStoredMessagesToChatMessages([stored])[0]!;
}

function fromOther({ role, content, name, tool_calls = [], tool_call_id = "" }: ChatMessage): BaseMessage {
  const fields = { content: (content ?? "") as string, ...(name !== undefined && { name }) };
  switch (role) {
    case "user":
      return new HumanMessage(fields);
    case "assistant":
      return new AIMessage({ ...fields, tool_calls: tool_calls.map(readCall) });
    case "system":
    case "developer":
      return new SystemMessage(fields);
    case "tool":
      return new ToolMessage({ ...fields, tool_call_id });
  }
}

/** Models may write arguments that are not JSON. These are returned as text. */
function readCall({ id, name, arguments: text }: NonNullable<ChatMessage["tool_calls"]>[number]) {
  try {
    const args: unknown = JSON.parse(text);
    if (isJsonObject(args)) return { id, name, args };
  } catch {}
  return { id, name, args: { arguments: text } };
}

function callsOf({ tool_calls: calls }: Data): Pick<ChatMessage, "tool_calls"> {
  if (!Array.isArray(calls) || calls.length === 0) return {};
  const known = calls as { readonly id?: string; readonly name: string; readonly args: Json }[];
  return {
    tool_calls: known.map(({ id = "", name, args }) => ({ id, name, arguments: JSON.stringify(args) })),
  };
}

function isParts(content: Json): boolean {
  return (
    Array.isArray(content) && content.every((part) => isJsonObject(part) && typeof part.type === "string")
  );
}

function checkReadable(stored: StoredMessage): void {
  try {
    mapStoredMessagesToChatMessages([stored]);
  } catch (cause) {
    throw new TypeError(`cannot store a message of type ${stored.type}: ${(cause as Error).message}`, {
      cause,
    });
  }
}
