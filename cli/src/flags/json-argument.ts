import { text } from "node:stream/consumers";
import { readJson } from "@membus/protocol";

/**
 * A JSON argument; `-` reads standard input.
 * @throws {TypeError} naming the argument when it is no JSON, or holds an integer that would be rounded.
 */
export async function readJsonArgument(name: string, argument: string): Promise<unknown> {
  const source = argument === "-" ? await text(process.stdin) : argument;
  return parseJsonArgument(name, source);
}

export function parseJsonArgument(name: string, source: string): unknown {
  try {
    return readJson(source);
  } catch (error) {
    const problem = error instanceof SyntaxError ? " is no JSON" : "";
    throw new TypeError(`${name}${problem}: ${(error as Error).message}`);
  }
}

/**
 * JSON where the text is some, else the text itself: `42`, `{"a":1}` and `Alice` all mean what they look like.
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

/** @throws {TypeError} naming the flag when the text is no number. */
export function numberFlag(name: string, source: string): number {
  const value = Number(source);
  if (source.trim() === "" || !Number.isFinite(value))
    throw new TypeError(`${name} must be a number, got ${source}`);
  return value;
}
