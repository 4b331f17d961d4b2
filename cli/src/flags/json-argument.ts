import { text } from "node:stream/consumers";
import { readJson } from "@membus/protocol";

/**
 * Parses a JSON argument. `-` reads standard input.
 * @throws {TypeError} naming the argument, if it is not JSON or contains an integer that would be rounded.
 */
export async function readJsonArgument(name: string, argument: string): Promise<unknown> {
  const source = argument === "-" ? await text(process.stdin) : argument;
  return parseJsonArgument(name, source);
}

export function parseJsonArgument(name: string, source: string): unknown {
  try {
    return readJson(source);
  } catch (error) {
    const problem = error instanceof SyntaxError ? " is not valid JSON" : "";
    throw new TypeError(`${name}${problem}: ${(error as Error).message}`);
  }
}

/**
 * Parses the text as JSON, or returns the text if it is not JSON: `42`, `{"a":1}` and `Alice` are all valid.
 * @throws {MemoryError} `schema_violation` for an integer that would be rounded.
 */
export function jsonOrText(source: string): unknown {
  try {
    return readJson(source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return source;
  }
}

/** @throws {TypeError} naming the flag if the text is not a number, or not in the range. */
export function numberFlag(name: string, source: string, [min, max] = [-Infinity, Infinity]): number {
  const value = Number(source);
  if (source.trim() === "" || !Number.isFinite(value))
    throw new TypeError(`${name} must be a number, got ${source}`);
  if (value < min || value > max)
    throw new TypeError(`${name} must be a number in ${min}..${max}, got ${source}`);
  return value;
}
