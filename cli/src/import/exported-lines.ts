import { type FileHandle, open } from "node:fs/promises";
import { isJsonObject, type JsonObject, type MemoryEntry, readJson, TIERS } from "@membus/protocol";
import { isTrailer } from "../export/export-format.js";
import { type FileLine, linesOf } from "./lines-of.js";

export type ExportedEntry = MemoryEntry & JsonObject;

/** An entry of an export with its line. */
export interface ExportedLine {
  readonly line: FileLine;
  readonly entry: ExportedEntry;
}

/** @throws {TypeError} with the line, for a line that is no JSON object. */
export function jsonOf({ line, bytes }: FileLine): JsonObject {
  let problem = "not a JSON object";
  try {
    const value = readJson(bytes.toString());
    if (isJsonObject(value)) return value;
  } catch (error) {
    problem = `not valid JSON: ${(error as Error).message}`;
  }
  throw new TypeError(`line ${line}: ${problem}`);
}

/** @throws {TypeError} with the line, for an object that is no entry. */
export function entryOf(value: JsonObject, line: number): ExportedEntry {
  const { key, tier, namespace, content } = value;
  if (!TIERS.some((each) => each === tier)) throw new TypeError(`line ${line}: has no valid tier`);
  if (typeof namespace !== "string") throw new TypeError(`line ${line}: has no namespace`);
  if (!isJsonObject(key) || content === undefined) throw new TypeError(`line ${line}: has no key or content`);
  return value as ExportedEntry;
}

/** Finds the namespaces with entries that are not sorted by their `seq`. */
export class UnorderedScopes {
  readonly #last = new Map<string, number>();
  readonly #unordered = new Set<string>();

  add(entry: ExportedEntry): void {
    const scope = scopeOf(entry);
    if (entry.seq < (this.#last.get(scope) ?? 0)) this.#unordered.add(scope);
    this.#last.set(scope, entry.seq);
  }

  has(scope: string): boolean {
    return this.#unordered.has(scope);
  }
}

/** Position of a line in a file. */
interface LinePlace {
  readonly line: number;
  readonly seq: number;
  readonly start: number;
  readonly bytes: number;
}

/**
 * Yields the entries of an export, sorted by `seq` within a namespace. The host numbers entries as they arrive, so their
 * order stays. Of an unordered namespace only the positions of lines are in memory.
 */
export async function* entriesBySeq(path: string, unordered: UnorderedScopes): AsyncGenerator<ExportedLine> {
  const file = await open(path);
  try {
    let [scope, start] = ["", 0];
    let waiting: LinePlace[] = [];
    for await (const line of linesOf(path)) {
      const bytes = line.bytes.length;
      const value = jsonOf(line);
      start += bytes;
      if (line.line === 1 || isTrailer(value)) continue;
      const entry = entryOf(value, line.line);
      if (scopeOf(entry) !== scope) {
        yield* linesAt(file, waiting);
        [scope, waiting] = [scopeOf(entry), []];
      }
      if (!unordered.has(scope)) yield { line, entry };
      else waiting.push({ line: line.line, seq: entry.seq, start: start - bytes, bytes });
    }
    yield* linesAt(file, waiting);
  } finally {
    await file.close();
  }
}

async function* linesAt(file: FileHandle, places: readonly LinePlace[]): AsyncGenerator<ExportedLine> {
  for (const { line, start, bytes } of [...places].sort((a, b) => a.seq - b.seq)) {
    const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, start);
    const found = { line, bytes: buffer };
    yield { line: found, entry: entryOf(jsonOf(found), line) };
  }
}

function scopeOf({ tier, namespace }: ExportedEntry): string {
  return `${tier} ${namespace}`;
}
