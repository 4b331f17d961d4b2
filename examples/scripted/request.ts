import type { ReceivedChat } from "../../agentic/test/scripted-openai/index.js";

/** All that the messages of a request say. */
export function wordsOf({ body }: ReceivedChat): string {
  return body.messages.map(({ content }) => (typeof content === "string" ? content : "")).join("\n");
}

/** Whose the latest message of a request is, and what it says. */
export function lastOf({ body }: ReceivedChat): { readonly role: string; readonly text: string } {
  const { role, content } = body.messages.at(-1)!;
  return { role, text: String(content) };
}
