import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { z } from "zod";

/** Limits of one file. */
const FILE_LIMITS = Object.freeze({ bytes: 400 * 1024 * 1024, lineLength: 16 * 1024 * 1024 });

/** The contents of a line, and its number from 1. */
export type Line<T> = T & { readonly line: number };

/**
 * Reads the non-empty lines of a JSONL file and validates them against `schema`; at most `countMax` lines.
 * @throws {TypeError} naming file and line for a line that is too long, not JSON, or invalid.
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
    if (lines.length === countMax)
      throw new TypeError(`${path}:${line}: too many lines, the limit is ${countMax}`);
    lines.push({ ...parseLine(text, schema, `${path}:${line}`), line });
  }
  return lines;
}

/** @throws {TypeError} if the file does not exist or is too large. */
export async function checkSize(path: string): Promise<void> {
  const found = await stat(path).catch((error: Error) => {
    throw new TypeError(`cannot read ${path}: ${error.message}`, { cause: error });
  });
  if (!found.isFile()) throw new TypeError(`cannot read ${path}: it is not a file`);
  if (found.size > FILE_LIMITS.bytes)
    throw new TypeError(`${path} is too large: ${found.size} bytes, limit ${FILE_LIMITS.bytes}`);
}

function parseLine<T>(text: string, schema: z.ZodType<T>, place: string): T {
  if (text.length > FILE_LIMITS.lineLength)
    throw new TypeError(`${place}: line too long, the limit is ${FILE_LIMITS.lineLength} characters`);
  return checkJson(text.replace(/^\uFEFF/, ""), schema, place);
}

/** @throws {TypeError} with `place` and the field, if the text is not JSON or does not match the schema. */
export function checkJson<T>(text: string, schema: z.ZodType<T>, place: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TypeError(`${place}: not valid JSON: ${(error as Error).message}`, { cause: error });
  }
  return checkValue(value, schema, place);
}

/** @throws {TypeError} with `place` and the field, if the value does not match the schema. */
export function checkValue<T>(value: unknown, schema: z.ZodType<T>, place: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new TypeError(`${place}: ${path.length === 0 ? "" : `\`${path.join(".")}\`: `}${message}`);
}

/** Reads and validates a JSON file. @throws {TypeError} naming the file, if it is missing, too large or invalid. */
export async function readJsonFile<T>(path: string, schema: z.ZodType<T>): Promise<T> {
  await checkSize(path);
  return checkJson(await readFile(path, "utf8"), schema, path);
}
