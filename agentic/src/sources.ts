import { keyHash, LIMITS } from "@membus/protocol";

/**
 * Returns the key hashes of messages of a conversation, for the `sources` of entries derived from them: the
 * last 64 of these ids.
 */
export function messageSources(conversation: string, ids: readonly string[]): string[] {
  return newestSources(ids.map((message) => keyHash({ conversation, message })));
}

/** Removes repeated sources (the last occurrence stays) and returns the newest 64 in their order. */
export function newestSources(sources: readonly string[]): string[] {
  return [...new Set([...sources].reverse())].slice(0, LIMITS.sources).reverse();
}

/**
 * Returns the sources of an entry with `known` sources after an entry with `more` sources repeats its content: both. An entry without sources keeps none, because a cascading forget must not delete an entry
 * that was not derived from the forgotten one.
 */
export function repeatedSources(
  known: readonly string[] = [],
  more: readonly string[] = [],
): readonly string[] {
  const isNews = known.length > 0 && more.some((source) => !known.includes(source));
  return isNews ? newestSources([...known, ...more]) : known;
}
