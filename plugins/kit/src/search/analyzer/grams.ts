/** Scripts written without spaces between words, and Korean, whose particles stick to the words. */
const PAIRED =
  "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}";
const UNSPACED = new RegExp(`[${PAIRED}]`, "u");
/** A run of one script. */
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
 * Of a word in these scripts the pairs of neighbouring characters, run by run; any other word as it is. No dictionary
 * tells words apart here: it would change with the ICU of Node, and with it the terms. An ideograph may be a word by
 * itself, as may the first syllable of a Korean one with its particles.
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
