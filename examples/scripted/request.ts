import type { ReceivedChat } from "../../agentic/test/scripted-openai/index.js";

/** Returns the text of all messages of a request. */
export function wordsOf({ body }: ReceivedChat): string {
  return body.messages.map(({ content }) => (typeof content === "string" ? content : "")).join("\n");
}

/** Returns the role and the text of the latest message. */
export function lastOf({ body }: ReceivedChat): { readonly role: string; readonly text: string } {
  const { role, content } = body.messages.at(-1)!;
  return { role, text: String(content) };
}
