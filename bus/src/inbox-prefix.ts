import { stringOption } from "@membus/protocol";
import { hasWildcard, isPattern } from "./subject.js";

export const INBOX_PREFIX_DEFAULT = "_INBOX";

/** @throws {TypeError} for what replies cannot arrive under: an empty token, white space or a wildcard. */
export function inboxPrefixOption(value: unknown, name: string): void {
  stringOption(value, name);
  const prefix = value as string;
  if (!isPattern(prefix) || hasWildcard(prefix)) {
    throw new TypeError(`${name} must be tokens with dots between, without wildcards, got \`${prefix}\``);
  }
}
