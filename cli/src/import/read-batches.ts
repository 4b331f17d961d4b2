import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { isJsonObject, type Json, readJson } from "@membus/protocol";

/** One line of the file: an entry, or the reason why it is invalid. */
export interface ImportLine {
  readonly line: number;
  readonly bytes: number;
  readonly entry?: Readonly<Record<string, Json>>;
  readonly problem?: string;
}

const BATCH_ENTRIES = 100;

/** Yields the non-empty lines in batches of 100. `defaults` are added to entries that lack these fields. */
export async function* readBatches(
  path: string,
  defaults: Readonly<Record<string, Json>>,
): AsyncGenerator<ImportLine[]> {
  let batch: ImportLine[] = [];
  let number = 0;
  const input = createReadStream(path);
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (text.trim() === "") continue;
    batch.push({ line: number, bytes: Buffer.byteLength(text) + 1, ...readEntry(text, defaults) });
    if (batch.length === BATCH_ENTRIES) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function readEntry(
  text: string,
  defaults: Readonly<Record<string, Json>>,
): Pick<ImportLine, "entry" | "problem"> {
  try {
    const value = readJson(text);
    return isJsonObject(value) ? { entry: { ...defaults, ...value } } : { problem: "not a JSON object" };
  } catch (error) {
    const { message } = error as Error;
    return { problem: error instanceof SyntaxError ? `not valid JSON: ${message}` : message };
  }
}
