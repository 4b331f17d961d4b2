import { RE2JS } from "re2js";

const GLOB_LENGTH_MAX = 1_000;

/** Matches escaped characters, `**` for whole names, `**`, classes, and other special characters. */
const TOKEN =
  /\\([\s\S])|(?<![^/{,])(\*\*\/)|\*\*|\[([!^]?)(\]?[^\]]{0,1000})\]|[*?{},]|[^\\*?[{},]+|[\\[]/gu;

/**
 * Returns a matcher for a glob: `*` and `?` within a name, `**` across names, `[a-z]`, `[!a-z]`, `{a,b}`, and `\` to escape a
 * character. The common glob packages backtrack, so their time doubles with every `*`. RE2 takes time proportional to path and
 * glob.
 * @throws {TypeError} for a glob that is too long or invalid.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  if (glob === "" || glob.length > GLOB_LENGTH_MAX) {
    throw new TypeError(`glob must have 1..${GLOB_LENGTH_MAX} characters, got ${glob.length}`);
  }
  try {
    const regex = RE2JS.compile(`^(?:${sourceOf(glob.normalize("NFC"))})$`);
    return (path) => regex.test(path);
  } catch (error) {
    throw new TypeError(`invalid glob ${glob}: ${(error as Error).message}`, { cause: error });
  }
}

function sourceOf(glob: string): string {
  let depth = 0;
  return glob.replaceAll(TOKEN, (token, escaped?: string, names?: string, negated?: string, set?: string) => {
    if (escaped !== undefined) return RE2JS.quote(escaped);
    if (names !== undefined) return "(?:.*/)?";
    if (set !== undefined) return `[${negated === "" ? "" : "^/"}${set.replaceAll(/[\\\][^]/g, "\\$&")}]`;
    switch (token) {
      case "**":
        return ".*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      case "{":
        depth += 1;
        return "(?:";
      case ",":
        return depth > 0 ? "|" : ",";
      case "}":
        if (depth === 0) return "\\}";
        depth -= 1;
        return ")";
      default:
        return RE2JS.quote(token);
    }
  });
}

/** Returns the longest text that every path that matches the glob contains. "" if there is none. */
export function literalIn(glob: string): string {
  if (/[[\]{}\\]/.test(glob)) return "";
  const literals = glob
    .replace(/^\//, "")
    .normalize("NFC")
    .split(/\*\*\/?|[*?]/);
  return literals.reduce((longest, literal) => (literal.length > longest.length ? literal : longest));
}
