const NON_ASCII = /[\u0080-\uffff]/;
/**
 * Marks that people leave out: accents, and the vowel signs of Arabic and Hebrew. й and ї are letters of their own.
 * The signs of Indic scripts and the sound marks of kana are not among them: they stand for sounds.
 */
const MARK =
  /(?<![иИуУ])\u0306|(?<![іІ])\u0308|[\u0300-\u0305\u0307\u0309-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u0640]/g;
/** Letters that are written in ASCII, or alike, and that Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" },
  ...{ ى: "ي", ς: "σ" },
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/** A lower-case word without accents, as it is typed on a keyboard that has none. */
export function fold(word: string): string {
  if (!NON_ASCII.test(word)) return word;
  const unmarked = word.normalize("NFD").replace(MARK, "").normalize("NFC");
  return unmarked.replace(LETTER, (letter) => LETTERS[letter]!);
}
