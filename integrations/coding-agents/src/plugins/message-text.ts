/** A message of pi and OpenClaw. */
export interface ContentMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

/** Returns the text of a content. Images and calls of tools have none. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts = content as readonly { readonly type?: unknown; readonly text?: unknown }[];
  return parts
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("\n");
}

/** Returns the text of the last message of the agent, or undefined. */
export function lastReply(messages: readonly unknown[]): string | undefined {
  const last = messages.findLast((message) => (message as ContentMessage | null)?.role === "assistant");
  return last === undefined ? undefined : textOf((last as ContentMessage).content);
}
