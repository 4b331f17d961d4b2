const CJK =
  "\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{2a6df}\\u{2a700}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}";
/** Unicode punctuation, and the ASCII symbols that BERT counts as such. */
const PUNCTUATION = "\\p{P}$+<=>^`|~";

const WORD = new RegExp(`[^\\s${PUNCTUATION}${CJK}]+|[${PUNCTUATION}${CJK}]`, "gu");
const SPECIAL_TOKEN = /\[(?:PAD|UNK|CLS|SEP|MASK)\]/g;
const BEYOND_PRINTABLE_ASCII = /[^\t\n\r -~]/;
const ACCENT_OR_CONTROL = /(?![\t\n\r])[\p{Mn}\p{C}\ufffd]/gu;

/**
 * The words of `text` as BERT's uncased models see them: lower case, without accents and control characters,
 * every punctuation mark and CJK character on its own. Names of special tokens are no words.
 */
export function splitWords(text: string): string[] {
  const ordinary = text.replace(SPECIAL_TOKEN, " ");
  const plain = BEYOND_PRINTABLE_ASCII.test(ordinary)
    ? ordinary.normalize("NFD").replace(ACCENT_OR_CONTROL, "")
    : ordinary;
  return plain.toLowerCase().match(WORD) ?? [];
}
