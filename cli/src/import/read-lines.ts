import { isJsonObject, readJson } from "@membus/protocol";
import type { ImportItem } from "./import-item.js";
import { linesOf } from "./lines-of.js";

/** Yields the non-empty lines of a JSONL file of entries, as `membus export` writes it. */
export async function* readLines(path: string): AsyncGenerator<ImportItem> {
  for await (const { line, bytes } of linesOf(path)) {
    const text = bytes.toString().trim();
    if (text !== "") yield { line, bytes: bytes.length, ...readEntry(text) };
  }
}

function readEntry(text: string): Pick<ImportItem, "entry" | "problem"> {
  try {
    const value = readJson(text);
    return isJsonObject(value) ? { entry: value } : { problem: "not a JSON object" };
  } catch (error) {
    const { message } = error as Error;
    return { problem: error instanceof SyntaxError ? `not valid JSON: ${message}` : message };
  }
}
