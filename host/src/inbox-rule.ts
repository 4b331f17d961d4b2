/**
 * Whether an answer may be published on `reply`: otherwise a caller could make the host publish where only the host
 * may. A prefix also covers private ones: `_INBOX` allows `_INBOX.x` and `_INBOX_alice.x` (clause SUBJ-5).
 */
export function isInbox(reply: string, inboxPrefixes: readonly string[]): boolean {
  return inboxPrefixes.some((prefix) => reply.startsWith(prefix));
}
