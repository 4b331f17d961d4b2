import { isJsonObject, type Json } from "../json.js";
import { LIMITS } from "../limits.js";
import type { MemoryKey } from "./key.js";

/** Returns the text to index for an entry without `text` (clause TEXT-1). */
export function deriveText(content: Json): string {
  if (typeof content === "string") return truncate(content);
  if (isJsonObject(content) && typeof content.text === "string") return truncate(content.text);
  return truncate(leafLines(content).join("\n"));
}

/** Returns the words of a key, which are searched as context (clause TEXT-2). */
export function keyContext(key: MemoryKey): string {
  return Object.values(key)
    .filter((value) => typeof value === "string")
    .join("\n");
}

function truncate(text: string): string {
  if (text.length <= LIMITS.derivedTextLength) return text;
  const end = LIMITS.derivedTextLength;
  const splitsPair = /[\ud800-\udbff]/.test(text[end - 1]!);
  return text.slice(0, splitsPair ? end - 1 : end);
}

/** Returns `name: value` for each leaf in order, until the text is long enough. */
function leafLines(content: Json): string[] {
  const lines: string[] = [];
  let length = 0;
  const visit = (name: string, value: Json): void => {
    if (length > LIMITS.derivedTextLength || value === null) return;
    if (Array.isArray(value)) for (const element of value) visit(name, element);
    else if (typeof value === "object") for (const [inner, leaf] of Object.entries(value)) visit(inner, leaf);
    else {
      lines.push(name === "" ? String(value) : `${name}: ${String(value)}`);
      length += lines.at(-1)!.length + 1;
    }
  };
  visit("", content);
  return lines;
}
