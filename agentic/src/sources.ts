import { keyHash, LIMITS, type OptionRule } from "@membus/protocol";

/** The key hashes of messages of a conversation, as `sources` of what is made of them: the last 64 of these ids. */
export function messageSources(conversation: string, ids: readonly string[]): string[] {
  return newestSources(ids.map((message) => keyHash({ conversation, message })));
}

/** Sources in their order, each once, where it comes last: the newest 64. */
export function newestSources(sources: readonly string[]): string[] {
  return [...new Set([...sources].reverse())].slice(0, LIMITS.sources).reverse();
}

/**
 * The sources of what has `known`, and is said again by what has `more`: those of both. What was told without a source
 * keeps none, for no forget may take what was not derived from it.
 */
export function repeatedSources(
  known: readonly string[] = [],
  more: readonly string[] = [],
): readonly string[] {
  const isNews = known.length > 0 && more.some((source) => !known.includes(source));
  return isNews ? newestSources([...known, ...more]) : known;
}

/** A rule for `resolveOptions`: what something is derived from. */
export const sourcesOption: OptionRule = (value, name) => {
  const isList = Array.isArray(value) && value.length >= 1 && value.length <= LIMITS.sources;
  if (!isList || !value.every((hash) => typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash))) {
    throw new TypeError(`${name} must be 1..${LIMITS.sources} key hashes`);
  }
};
