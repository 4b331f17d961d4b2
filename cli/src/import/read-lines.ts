import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { isJsonObject, readJson } from "@membus/protocol";
import type { ImportItem } from "./import-item.js";

/** Yields the non-empty lines of a JSONL file of entries, as `membus export` writes it. */
export async function* readLines(path: string): AsyncGenerator<ImportItem> {
  let line = 0;
  const input = createReadStream(path);
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (text.trim() !== "") yield { line, bytes: Buffer.byteLength(text) + 1, ...readEntry(text) };
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
