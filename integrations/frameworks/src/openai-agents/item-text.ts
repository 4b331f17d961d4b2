import type { Json } from "@membus/protocol";

interface SaidItem {
  readonly role?: unknown;
  readonly content?: unknown;
}

/** What user and assistant say in items, by which they are found; nothing of prompts, calls and what tools answer. */
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
