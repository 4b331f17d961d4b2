import { hash } from "node:crypto";

/** A message of a prompt, as the AI SDK gives it to models: what is looked at here. */
export interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
}

/** What a turn is about, and how far it is. */
export interface Turn {
  /** The latest that the user has said. */
  readonly text: string;
  /** Of all up to there: the same in every step of the turn. */
  readonly id: string;
  /** Whether the model is asked for the first time since. */
  readonly isNew: boolean;
}

/** @returns undefined where the user has said nothing. */
export function turnOf(prompt: readonly PromptMessage[]): Turn | undefined {
  const at = prompt.findLastIndex(({ role }) => role === "user");
  const text = at < 0 ? "" : textIn(prompt[at]!.content);
  if (text === "") return undefined;
  const said = prompt.slice(0, at + 1).filter(({ role }) => role !== "system");
  const id = hash("sha256", JSON.stringify(said.map(({ role, content }) => [role, textIn(content)])), "hex");
  return { text, id, isNew: at === prompt.length - 1 };
}

/** A prompt with a text behind the system messages that it begins with. */
export function withMemories<Message extends PromptMessage>(
  prompt: readonly Message[],
  memories: string,
): Message[] {
  const end = prompt.findIndex(({ role }) => role !== "system");
  const at = end < 0 ? prompt.length : end;
  const own = prompt[at - 1];
  // Not every provider takes a second system message.
  const content = own === undefined ? memories : `${String(own.content)}\n\n${memories}`;
  const system = { ...(own ?? { role: "system" }), content } as Message;
  return [...prompt.slice(0, Math.max(0, at - 1)), system, ...prompt.slice(at)];
}

/** The texts of parts, in lines. */
export function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts = content as readonly { readonly type?: unknown; readonly text?: unknown }[];
  const texts = parts.filter(({ type, text }) => type === "text" && typeof text === "string");
  return texts.map(({ text }) => String(text)).join("\n");
}

/** A block of recalled memories with as many as fit, the first ones: between its two first lines and its last. "" for none. */
export function capped(block: string, charsMax: number): string {
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
