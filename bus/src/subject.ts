import { stringOption } from "@membus/protocol";

const PUBLISHABLE = /^[^\s]+$/;
const PATTERN = /^[^\s.]+(\.[^\s.]+)*$/;

/**
 * True when a subscription to `pattern` receives `subject`: `*` stands for one token, `>` at the end for one
 * or more. Wildcards in `subject` are plain tokens.
 */
export function subjectMatches(pattern: string, subject: string): boolean {
  return tokensMatch(pattern.split("."), subject.split("."));
}

/** `subjectMatches` on subjects already split at their dots. */
export function tokensMatch(pattern: readonly string[], subject: readonly string[]): boolean {
  for (const [index, token] of pattern.entries()) {
    if (index >= subject.length) return false;
    if (token === ">") return true;
    if (token !== "*" && token !== subject[index]) return false;
  }
  return pattern.length === subject.length;
}

export function hasWildcard(pattern: string): boolean {
  return pattern.split(".").some((token) => token === "*" || token === ">");
}

/** @throws {TypeError} for a subject that cannot be written on the wire: empty, or with white space. */
export function checkSubject(subject: string): void {
  if (!PUBLISHABLE.test(subject)) throw new TypeError(`\`${subject}\` is no subject`);
}

/** False for what no server subscribes to: an empty token, white space, or `>` before the end. */
function isPattern(pattern: string): boolean {
  return PATTERN.test(pattern) && !pattern.split(".").slice(0, -1).includes(">");
}

/** @throws {TypeError} for a subject that no server subscribes to. */
export function checkPattern(pattern: string): void {
  if (!isPattern(pattern)) throw new TypeError(`\`${pattern}\` is no subject to subscribe to`);
}

export const INBOX_PREFIX_DEFAULT = "_INBOX";

/** @throws {TypeError} for what replies cannot arrive under: an empty token, white space or a wildcard. */
export function inboxPrefixOption(value: unknown, name: string): void {
  stringOption(value, name);
  const prefix = value as string;
  if (!isPattern(prefix) || hasWildcard(prefix)) {
    throw new TypeError(`${name} must be tokens with dots between, without wildcards, got \`${prefix}\``);
  }
}
