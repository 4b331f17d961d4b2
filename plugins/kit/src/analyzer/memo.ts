/** Longest word that is remembered: V8 may keep the whole text alive for a longer piece of it. */
const KEY_LENGTH_MAX = 12;

/**
 * Remembers the results of a pure function of a word.
 * @param countMax results kept; at this count it forgets all and starts anew, so frequent words return at once.
 */
export function memoize<T>(compute: (word: string) => T, countMax: number): (word: string) => T {
  const results = new Map<string, T>();
  return (word) => {
    const known = results.get(word);
    if (known !== undefined) return known;
    const result = compute(word);
    if (word.length > KEY_LENGTH_MAX) return result;
    if (results.size >= countMax) results.clear();
    results.set(word, result);
    return result;
  };
}
