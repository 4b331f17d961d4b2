import { z } from "zod";
import { textIn } from "./foreign-values.js";
import { problemOf } from "./import-item.js";

const MessageSchema = z.looseObject({
  role: z.string(),
  content: z
    .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.unknown().optional() }))])
    .nullish(),
  name: z.string().nullish(),
  created_at: z.string().nullish(),
  tool_calls: z
    .array(z.looseObject({ function: z.looseObject({ name: z.string(), arguments: z.string() }).nullish() }))
    .nullish(),
});

/** A message that a user or an agent wrote. */
export interface LettaMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly createdAt: string | undefined;
  readonly sender: string | undefined;
}

/** Events that Letta sends to an agent as messages of the user. */
const EVENTS = ["heartbeat", "login", "system_alert"];

/** The tool that agents of the MemGPT type answer with. Their other words are thoughts. */
const ANSWER_TOOL = "send_message";

/**
 * Returns the words of a message. Returns undefined for system prompts, tool results, events and messages
 * without words, and the problem of an invalid message.
 */
export function messageText(value: unknown): LettaMessage | string | undefined {
  const { data, error } = MessageSchema.safeParse(value);
  if (data === undefined) return problemOf(error, "message");
  const { role, content, name, created_at: createdAt } = data;
  if (role !== "user" && role !== "assistant") return undefined;
  const written = typeof content === "string" ? content : wordsOf(content ?? []);
  const text = role === "user" ? unwrapped(written) : (answerOf(data) ?? written);
  const trimmed = textIn(text);
  if (trimmed === undefined) return undefined;
  return { role, text: trimmed, createdAt: createdAt ?? undefined, sender: name ?? undefined };
}

function wordsOf(parts: readonly { readonly type: string; readonly text?: unknown }[]): string {
  return parts.flatMap(({ type, text }) => (type === "text" ? (textIn(text) ?? []) : [])).join("\n\n");
}

/** Returns the words in the JSON that Letta puts around a message of the user. */
function unwrapped(text: string): string {
  const { type, message } = objectIn(text) ?? {};
  if (type === "user_message" && typeof message === "string") return message;
  return EVENTS.includes(String(type)) ? "" : text;
}

function answerOf({ tool_calls: calls }: z.infer<typeof MessageSchema>): string | undefined {
  const answers = (calls ?? []).flatMap(({ function: call }) => {
    const { message } = call?.name === ANSWER_TOOL ? (objectIn(call.arguments) ?? {}) : {};
    return textIn(message) ?? [];
  });
  return answers.length === 0 ? undefined : answers.join("\n\n");
}

function objectIn(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
