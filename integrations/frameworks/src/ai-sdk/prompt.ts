import { hash } from "node:crypto";

/** A message of a prompt of the AI SDK, with the fields that are used here. */
export interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
}

/** The current turn of a prompt. */
export interface Turn {
  /** Latest text of the user. */
  readonly text: string;
  /** Hash of all messages up to it, the same in every step of the turn. */
  readonly id: string;
  /** Whether this is the first step of the turn. */
  readonly isNew: boolean;
}

/** Returns undefined if there is no text of the user. */
export function turnOf(prompt: readonly PromptMessage[]): Turn | undefined {
  const at = prompt.findLastIndex(({ role }) => role === "user");
  const text = at < 0 ? "" : textIn(prompt[at]!.content);
  if (text === "") return undefined;
  const messages = prompt.slice(0, at + 1).filter(({ role }) => role !== "system");
  const id = hash(
    "sha256",
    JSON.stringify(messages.map(({ role, content }) => [role, textIn(content)])),
    "hex",
  );
  return { text, id, isNew: at === prompt.length - 1 };
}

/** Returns the prompt with a text after its leading system messages. */
export function withMemories<Message extends PromptMessage>(
  prompt: readonly Message[],
  memories: string,
): Message[] {
  const end = prompt.findIndex(({ role }) => role !== "system");
  const at = end < 0 ? prompt.length : end;
  const own = prompt[at - 1];
  // Some providers reject a second system message.
  const content = own === undefined ? memories : `${String(own.content)}\n\n${memories}`;
  const system = { ...(own ?? { role: "system" }), content } as Message;
  return [...prompt.slice(0, Math.max(0, at - 1)), system, ...prompt.slice(at)];
}

/** Returns the texts of the parts, one per line. */
export function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts = content as readonly { readonly type?: unknown; readonly text?: unknown }[];
  const texts = parts.filter(({ type, text }) => type === "text" && typeof text === "string");
  return texts.map(({ text }) => String(text)).join("\n");
}

/**
 * Shortens a block of recalled memories to the first ones that fit. Keeps its two first lines and its last.
 * Returns "" if none fit.
 */
export function capMemories(block: string, charsMax: number): string {
  if (block.length <= charsMax) return block;
  const lines = block.split("\n");
  const [title, note, ...memories] = lines.slice(0, -1);
  const end = lines.at(-1)!;
  const kept = [title!, note!];
  let length = title!.length + note!.length + end.length + 2;
  for (const line of memories) {
    length += line.length + 1;
    if (length > charsMax) break;
    kept.push(line);
  }
  return kept.length === 2 ? "" : [...kept, end].join("\n");
}
