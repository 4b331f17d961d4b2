const NON_ASCII = /[\u0080-\uffff]/;
const ACCENT = /[\u0300-\u036f]/g;
const ASCII_WORD = /\w+/g;
const WORD = /[\p{L}\p{N}\p{M}_]+/gu;

/** `_`, a lower-case letter or digit before a capital, and the last capital of an acronym before a word. */
const PART_BOUNDARY = /_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;

/** Words as they stand in a text, without accents and with compatibility characters unified. Case is kept. */
export function splitWords(text: string): string[] {
  if (!NON_ASCII.test(text)) return text.match(ASCII_WORD) ?? [];
  const folded = text.normalize("NFKD").replace(ACCENT, "").normalize("NFC");
  return folded.match(WORD) ?? [];
}

/** The lower-case forms under which a word is found: itself and, for camelCase and snake_case, its parts. */
export function wordForms(word: string): string[] {
  const parts = word.split(PART_BOUNDARY).filter((part) => part !== "");
  const forms = parts.length > 1 ? [word, ...parts] : parts;
  return forms.map((form) => form.toLowerCase());
}
