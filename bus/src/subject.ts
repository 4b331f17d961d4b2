import { option } from "@membus/protocol";

const PUBLISHABLE = /^[^\s]+$/;
const PATTERN = /^[^\s.]+(\.[^\s.]+)*$/;

/**
 * Returns true if a subscription to `pattern` receives `subject`. `*` matches one token, and `>` at the end
 * one or more. Wildcards in `subject` are plain tokens.
 */
export function subjectMatches(pattern: string, subject: string): boolean {
  return tokensMatch(pattern.split("."), subject.split("."));
}

/** Matches subjects that are already split at their dots, like `subjectMatches`. */
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

/**
 * Rejects a subject that is empty or contains white space.
 *
 * @throws {TypeError} for an invalid subject.
 */
export function checkSubject(subject: string): void {
  if (!PUBLISHABLE.test(subject))
    throw new TypeError(`invalid subject \`${subject}\`: it must not be empty or contain white space`);
}

/** Returns false for an invalid pattern: an empty token, white space, or `>` before the end. */
function isPattern(pattern: string): boolean {
  return PATTERN.test(pattern) && !pattern.split(".").slice(0, -1).includes(">");
}

/**
 * Rejects an invalid subscription pattern.
 *
 * @throws {TypeError} for a pattern that no server accepts.
 */
export function checkPattern(pattern: string): void {
  if (!isPattern(pattern)) throw new TypeError(`invalid subscription pattern \`${pattern}\``);
}

/** Tokens without white space or wildcards. */
export const InboxPrefixSchema = option.value<string>(
  (value) => typeof value === "string" && isPattern(value) && !hasWildcard(value),
  (value) => `must be tokens separated by dots, without wildcards, got \`${String(value)}\``,
);
