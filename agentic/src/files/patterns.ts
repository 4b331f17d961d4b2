import { expandBraces, toRegex } from "glob-to-regex.js";
import { RE2JS } from "re2js";

const GLOB_LENGTH_MAX = 1_000;
const ALTERNATIVES_MAX = 100;
const REGEX_LENGTH_MAX = 1_000;
/** Steps for each character, at the worst: a line of 256 KiB takes seconds then, and not a minute. */
const REGEX_SIZE_MAX = 1_000;

/**
 * What a glob matches: `*` and `?` within a name, `**` across names, `[a-z]`, `{a,b}`, `{1..3}`. It takes time in proportion to
 * the path, whatever the glob.
 * @throws {TypeError} for one that is too long, has more than 100 alternatives, or cannot be read.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  if (glob === "" || glob.length > GLOB_LENGTH_MAX) {
    throw new TypeError(`a glob has 1..${GLOB_LENGTH_MAX} characters, got ${glob.length}`);
  }
  if (expandBraces(glob, ALTERNATIVES_MAX + 1).length > ALTERNATIVES_MAX) {
    throw new TypeError(`the glob ${glob} has more than ${ALTERNATIVES_MAX} alternatives`);
  }
  const regex = compiled(toRegex(glob.normalize("NFC")).source, 0, "glob", Number.POSITIVE_INFINITY);
  return (path) => regex.test(path);
}

/** A text that every path has in it which the glob matches: the longest, "" where there may be none. */
export function literalIn(glob: string): string {
  if (/[[\]{}]/.test(glob)) return "";
  const literals = glob
    .replace(/^\//, "")
    .normalize("NFC")
    .split(/\*\*\/?|[*?]/);
  return literals.reduce((longest, literal) => (literal.length > longest.length ? literal : longest));
}

/**
 * A regular expression in the syntax of RE2, which takes time in proportion to the text and to its own size.
 * @throws {TypeError} for one that is too long, too large, or cannot be read, as with back references and look-around.
 */
export function lineRegex(pattern: string, ignoresCase: boolean): RE2JS {
  if (pattern === "" || pattern.length > REGEX_LENGTH_MAX) {
    throw new TypeError(`a pattern has 1..${REGEX_LENGTH_MAX} characters, got ${pattern.length}`);
  }
  return compiled(pattern, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0, "pattern", REGEX_SIZE_MAX);
}

function compiled(source: string, flags: number, what: string, sizeMax: number): RE2JS {
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(source, flags);
  } catch (error) {
    throw new TypeError(`the ${what} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  if (regex.programSize() > sizeMax) {
    throw new TypeError(`the ${what} is too large: repeat less in it`);
  }
  return regex;
}
