/** Longest word that is remembered: V8 may keep the whole text alive for a longer piece of it. */
const WORD_LENGTH_MAX = 12;

/**
 * Remembers the results of a pure function.
 * @param countMax results kept; at this count it forgets all and starts anew, so frequent keys return at once.
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

/** The same for a function of a word, which is often a piece of a text. */
export function memoizeWords<Result>(
  compute: (word: string) => Result,
  countMax: number,
): (word: string) => Result {
  const remembered = memoize(compute, countMax);
  return (word) => (word.length > WORD_LENGTH_MAX ? compute(word) : remembered(word));
}
