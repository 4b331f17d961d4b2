import { RE2JS } from "re2js";

const GLOB_LENGTH_MAX = 1_000;

/** Escaped characters, `**` as whole names, `**`, classes, and whatever else is special. */
const TOKEN = /\\([\s\S])|(?<![^/{,])(\*\*\/)|\*\*|\[([!^]?)(\]?[^\]]*)\]|[*?{},]|[^\\*?[{},]+|[\\[]/gu;

/**
 * What a glob matches: `*` and `?` within a name, `**` across names, `[a-z]`, `[!a-z]`, `{a,b}`, and `\` before a character that
 * is meant itself. Written here because the common packages go back over a path, in time that doubles with every `*`; in RE2 it
 * takes time in proportion to path and glob.
 * @throws {TypeError} for one that is too long or cannot be read.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  if (glob === "" || glob.length > GLOB_LENGTH_MAX) {
    throw new TypeError(`a glob has 1..${GLOB_LENGTH_MAX} characters, got ${glob.length}`);
  }
  try {
    const regex = RE2JS.compile(`^(?:${sourceOf(glob.normalize("NFC"))})$`);
    return (path) => regex.test(path);
  } catch (error) {
    throw new TypeError(`the glob ${glob} cannot be read: ${(error as Error).message}`, { cause: error });
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

/** A text that every path has in it which the glob matches: the longest, "" where there may be none. */
export function literalIn(glob: string): string {
  if (/[[\]{}\\]/.test(glob)) return "";
  const literals = glob
    .replace(/^\//, "")
    .normalize("NFC")
    .split(/\*\*\/?|[*?]/);
  return literals.reduce((longest, literal) => (literal.length > longest.length ? literal : longest));
}
