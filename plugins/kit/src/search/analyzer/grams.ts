/** Scripts without spaces between words, and Korean, which attaches particles to words. */
const PAIRED =
  "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}";
const UNSPACED = new RegExp(`[${PAIRED}]`, "u");
/** Matches a run of one script. */
const RUN = new RegExp(
  "\\p{sc=Hira}+|\\p{scx=Kana}+|\\p{scx=Han}+|\\p{sc=Hang}+|\\p{sc=Thai}+|\\p{sc=Laoo}+|\\p{sc=Khmr}+|" +
    `\\p{sc=Mymr}+|[^${PAIRED}]+`,
  "gu",
);
const CHARACTER = /\P{M}\p{M}*/gu;
const HAN = /^\p{scx=Han}/u;
const HANGUL = /^\p{sc=Hang}/u;

export function hasUnspacedScript(text: string): boolean {
  return UNSPACED.test(text);
}

/**
 * Returns pairs of neighbouring characters of a word in these scripts, run by run. Other words are returned
 * unchanged. A word segmentation dictionary is not used, because it changes with the ICU version of Node, and
 * the terms would change with it. A single ideograph can be a word, and so can the first syllable of a Korean
 * word with particles, so these are returned too.
 */
export function gramsOf(word: string): string[] {
  if (!UNSPACED.test(word)) return [word];
  return (word.match(RUN) ?? []).flatMap((run) => {
    if (!UNSPACED.test(run)) return [run];
    const characters = run.match(CHARACTER) ?? [run];
    const pairs = characters.slice(1).map((character, index) => characters[index]! + character);
    if (HAN.test(run)) return [...characters, ...pairs];
    return HANGUL.test(run) || pairs.length === 0 ? [characters[0]!, ...pairs] : pairs;
  });
}
