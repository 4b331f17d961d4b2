/** Length of the longest cached word. V8 may keep the whole text alive for a longer substring. */
const WORD_LENGTH_MAX = 12;

/**
 * Caches the results of a pure function.
 * @param countMax limit of the cached results. When it is reached, the cache is cleared, and frequent keys
 * return quickly
 */
export function memoize<Key, Result>(compute: (key: Key) => Result, countMax: number): (key: Key) => Result {
  const results = new Map<Key, Result>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = compute(key);
    if (results.size >= countMax) results.clear();
    results.set(key, result);
    return result;
  };
}

/** Caches the results of a pure function of a word, which is often a substring of a text. */
export function memoizeWords<Result>(
  compute: (word: string) => Result,
  countMax: number,
): (word: string) => Result {
  const remembered = memoize(compute, countMax);
  return (word) => (word.length > WORD_LENGTH_MAX ? compute(word) : remembered(word));
}
