import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { z } from "zod";

/** What one file may hold; more is refused, naming the file. */
const FILE_LIMITS = Object.freeze({ bytes: 256 * 1024 * 1024, lineLength: 512 * 1024 });

/** A line of a file: what it says, and its number, from 1. */
export type Line<T> = T & { readonly line: number };

/**
 * The lines of a JSONL file that are not empty, each checked against `schema`; at most `countMax`.
 * @throws {TypeError} naming file and line of the first that is too long, no JSON or not as the schema wants it.
 */
export async function readJsonLines<T extends object>(
  path: string,
  schema: z.ZodType<T>,
  countMax: number,
): Promise<Line<T>[]> {
  await checkSize(path);
  const lines: Line<T>[] = [];
  let line = 0;
  const input = createReadStream(path, "utf8");
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (text.trim() === "") continue;
    if (lines.length === countMax) throw new TypeError(`${path}:${line}: more than ${countMax} lines`);
    lines.push({ ...parseLine(text, schema, `${path}:${line}`), line });
  }
  return lines;
}

/** @throws {TypeError} when there is no such file, or it is too large. */
export async function checkSize(path: string): Promise<void> {
  const found = await stat(path).catch((error: Error) => {
    throw new TypeError(`cannot read ${path}: ${error.message}`, { cause: error });
  });
  if (!found.isFile()) throw new TypeError(`cannot read ${path}: it is no file`);
  if (found.size > FILE_LIMITS.bytes)
    throw new TypeError(`${path} has ${found.size} bytes, at most ${FILE_LIMITS.bytes} are read`);
}

function parseLine<T>(text: string, schema: z.ZodType<T>, place: string): T {
  if (text.length > FILE_LIMITS.lineLength)
    throw new TypeError(`${place}: longer than ${FILE_LIMITS.lineLength} characters`);
  return checkJson(text.replace(/^\uFEFF/, ""), schema, place);
}

/** @throws {TypeError} that begins with `place` and names the field, when the text is no JSON of this schema. */
export function checkJson<T>(text: string, schema: z.ZodType<T>, place: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TypeError(`${place}: is no JSON: ${(error as Error).message}`, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new TypeError(`${place}: ${path.length === 0 ? "" : `\`${path.join(".")}\`: `}${message}`);
}
