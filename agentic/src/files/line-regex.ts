import { RE2JS } from "re2js";

const LENGTH_MAX = 1_000;
/** Limit on the steps per character in the worst case. A line of 256 KiB then takes seconds, not a minute. */
const SIZE_MAX = 1_000;

/**
 * Compiles a regular expression in RE2 syntax. Its time is proportional to the text and to its own size.
 * @throws {TypeError} for a pattern that is too long, too large or invalid. Back references and look-around are invalid.
 */
export function lineRegex(pattern: string, ignoresCase: boolean): RE2JS {
  if (pattern === "" || pattern.length > LENGTH_MAX) {
    throw new TypeError(`pattern must have 1..${LENGTH_MAX} characters, got ${pattern.length}`);
  }
  const regex = compiled(pattern, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  if (regex.programSize() > SIZE_MAX)
    throw new TypeError("pattern is too large. Use smaller repetition counts");
  return regex;
}

function compiled(pattern: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(pattern, flags);
  } catch (error) {
    throw new TypeError(`invalid pattern: ${(error as Error).message}`, { cause: error });
  }
}
