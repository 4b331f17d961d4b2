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
import { isJsonObject, type Json, RoleSchema } from "@membus/protocol";
import { jsonOf } from "../values/index.js";

/** The field of a message that has what LangChain alone knows of it. */
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
 * A message as every program reads it, and beside it what makes LangChain's own of it again.
 * @throws {TypeError} for one that LangChain could not read again, such as a removal.
 */
export function toChatMessage(message: BaseMessage): ChatMessage {
  const { type, data } = jsonOf(mapChatMessagesToStoredMessages([message])[0], "message") as {
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

/** Also of a message that another program has added. */
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

/** Models write arguments that are no JSON: these are told as they stand. */
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
    throw new TypeError(`a message of type ${stored.type} cannot be kept: ${(cause as Error).message}`, {
      cause,
    });
  }
}
