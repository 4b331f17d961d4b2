import { RE2JS } from "re2js";

const LENGTH_MAX = 1_000;
/** Steps for each character, at the worst: a line of 256 KiB takes seconds then, and not a minute. */
const SIZE_MAX = 1_000;

/**
 * A regular expression in the syntax of RE2, which takes time in proportion to the text and to its own size.
 * @throws {TypeError} for one that is too long, too large, or cannot be read, as with back references and look-around.
 */
export function lineRegex(pattern: string, ignoresCase: boolean): RE2JS {
  if (pattern === "" || pattern.length > LENGTH_MAX) {
    throw new TypeError(`a pattern has 1..${LENGTH_MAX} characters, got ${pattern.length}`);
  }
  const regex = compiled(pattern, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  if (regex.programSize() > SIZE_MAX) throw new TypeError("the pattern is too large: repeat less in it");
  return regex;
}

function compiled(pattern: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(pattern, flags);
  } catch (error) {
    throw new TypeError(`the pattern cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
