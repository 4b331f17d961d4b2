import { gramsOf, hasUnspacedScript } from "./grams.js";
import { hexId } from "./hex-id.js";

const NON_ASCII = /[\u0080-\uffff]/;
const ASCII_WORD = /\w+/g;
const POINT_IN_NUMBER = /\d\.\d/;
/** A number in parts, as of a release, before other words: it is found whole, too. */
const WORD =
  /(?<![\p{L}\p{N}_])[vV]?\d+(?:\.\d+)+(?![\p{L}\p{N}_])|[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*|\p{RI}{2}|\p{Extended_Pictographic}/gu;
/** What joins or colours without being a character: variation selectors, keycaps, joiners, the soft hyphen. */
const INVISIBLE = /[\ufe00-\ufe0f\u20e3\u200b-\u200d\u2060\u00ad]/g;

/**
 * A lower-case letter or digit before a capital, the last capital of an acronym before a word, and a letter before three
 * digits (E1234).
 */
const PART_BOUNDARY = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})|(?<=\p{L})(?=\d{3})/u;

/** Whether the words of a text are its runs of ASCII letters, digits and `_`. */
export function isPlain(text: string): boolean {
  return !NON_ASCII.test(text) && !POINT_IN_NUMBER.test(text);
}

/**
 * Words as they stand in a text, with compatibility characters unified (full-width ones, ligatures), accents and
 * case kept. An emoji is a word. A script without spaces gives its characters and pairs of them.
 */
export function splitWords(text: string): string[] {
  if (isPlain(text)) return text.match(ASCII_WORD) ?? [];
  const isAscii = !NON_ASCII.test(text);
  const unified = isAscii ? text : text.normalize("NFKC").replace(INVISIBLE, "");
  const words = unified.match(WORD) ?? [];
  return isAscii || !hasUnspacedScript(unified) ? words : words.flatMap(gramsOf);
}

/** The lower-case forms under which a word is found: itself and, for camelCase, snake_case and 2.15.2, its parts. */
export function wordForms(word: string): string[] {
  if (word.includes(".")) return numberForms(word.toLowerCase());
  const parts = word
    .split(/_+/)
    .flatMap(partsOf)
    .filter((part) => part !== "");
  const forms = parts.length > 1 ? [parts.join(""), ...parts] : parts;
  return forms.map(lowerCase);
}

/** A long id in hexadecimal digits is found whole: its parts would be found in others, too. */
function partsOf(word: string): string[] {
  const id = hexId(word);
  return id === undefined ? word.split(PART_BOUNDARY) : [id];
}

/** `v2.15.2` is found as 2.15.2, v2, 2 and 15. */
function numberForms(word: string): string[] {
  const parts = word.split(".");
  return word.startsWith("v") ? [word.slice(1), ...parts, parts[0]!.slice(1)] : [word, ...parts];
}

/** The capital of the dotted i is an i and a dot. */
function lowerCase(form: string): string {
  return form.toLowerCase().replace("i\u0307", "i");
}
