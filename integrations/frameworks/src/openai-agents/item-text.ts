import type { Json } from "@membus/protocol";

interface SaidItem {
  readonly role?: unknown;
  readonly content?: unknown;
}

/**
 * Returns the texts of user and assistant, which searches find. Prompts, calls and tool results are left out.
 */
export function textOf(items: readonly Json[]): string {
  return items.flatMap((item) => wordsOf(item as SaidItem)).join("\n");
}

function wordsOf({ role, content }: SaidItem): string[] {
  if (role !== "user" && role !== "assistant") return [];
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content
    .map((part: { readonly text?: unknown }) => part.text)
    .filter((text) => typeof text === "string");
}
