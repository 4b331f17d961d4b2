import { randomBytes } from "node:crypto";
import { gramsOf, hasUnspacedScript } from "./grams.js";
import type { Language, OtherLanguage } from "./language.js";
import { termHash } from "./packed-terms.js";

/** UTF-16 units of a text, a context or a query that are analysed: about 2,500 words. The rest is not found. */
const ANALYZED_LENGTH_MAX = 16_384;
/** UTF-16 units of a word that tell it from another; the rest of a longer one is ignored. */
const WORD_LENGTH_MAX = 64;

/** As much of a text as is analysed. */
export function boundedText(text: string): string {
  return text.slice(0, ANALYZED_LENGTH_MAX);
}

/** A hash or an address in hexadecimal digits, without or with 0x: what stands between its letters and digits are no words. */
const HEX_ID = /^(?:0[xX])?([\da-f]{16,}|[\dA-F]{16,})$/;

/** Digits that tell an id from another: as many as SHA-512 has. */
const DIGITS_MAX = 128;

/** The digits of a word that is a long hexadecimal id, as it is found; undefined for any other. */
export function hexId(word: string): string | undefined {
  return HEX_ID.exec(word)?.[1]?.slice(0, DIGITS_MAX).toLowerCase();
}

/** The lower-case forms of a word, with accents; none of a stop word. */
export function contentForms(word: string, language: Language): string[] {
  const forms = wordForms(hexId(word) ?? word.slice(0, WORD_LENGTH_MAX));
  return forms.filter((form) => !language.stopWords.has(fold(form)));
}

/** Stems of different languages are different terms: `care` is not what Spanish `caras` comes from. */
export function hashIn({ name, stem }: OtherLanguage, form: string): number {
  return termHash(`${name}:${fold(stem(form))}`);
}

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

/** 1 for each ASCII character that a word has: letters, digits and `_`. */
const IN_WORD = Uint8Array.from({ length: 128 }, (_, code) => Number(/\w/.test(String.fromCharCode(code))));

/** Words that are remembered at most, a power of two. */
const PLACES = 32_768;
/** Longest word that is remembered. */
const LETTERS_MAX = 16;
/** Where a word may be remembered: its own place and those behind it. */
const TRIES = 4;
const PRIME = 0x01000193;
/** Unknown to whoever chooses the words: nobody can make them all fall on one place. */
const SEED = randomBytes(4).readInt32LE();

/**
 * Reads the words of plain texts (see `isPlain`) and remembers what a word read as by its letters: a text whose words
 * are known is read without making a string of each.
 */
export class PlainWords<Reading> {
  readonly #read: (word: string) => Reading;
  readonly #readings: (Reading | undefined)[] = new Array(PLACES);
  readonly #lengths = new Uint8Array(PLACES);
  readonly #letters = new Uint8Array(PLACES * LETTERS_MAX);

  /** @param read a pure function of a word */
  constructor(read: (word: string) => Reading) {
    this.#read = read;
  }

  /** Visits what each word of a text reads as, in their order. */
  forEach(text: string, visit: (reading: Reading) => void): void {
    const { length } = text;
    let at = 0;
    while (at < length) {
      const begin = at;
      let hash = SEED;
      for (; at < length; at++) {
        const code = text.charCodeAt(at);
        if (IN_WORD[code] === 0) break;
        hash = Math.imul(hash ^ code, PRIME);
      }
      if (at > begin) visit(this.#readingOf(text, begin, at, hash));
      at++;
    }
  }

  #readingOf(text: string, begin: number, end: number, hash: number): Reading {
    if (end - begin > LETTERS_MAX) return this.#read(text.slice(begin, end));
    const home = (hash ^ (hash >>> 16)) & (PLACES - 1);
    for (let tries = 0; tries < TRIES; tries++) {
      const place = (home + tries) & (PLACES - 1);
      if (this.#lengths[place] === 0) return this.#remember(place, text.slice(begin, end));
      if (this.#isAt(place, text, begin, end)) return this.#readings[place]!;
    }
    return this.#remember(home, text.slice(begin, end));
  }

  #isAt(place: number, text: string, begin: number, end: number): boolean {
    if (this.#lengths[place] !== end - begin) return false;
    const letters = place * LETTERS_MAX - begin;
    for (let at = begin; at < end; at++) {
      if (this.#letters[letters + at] !== text.charCodeAt(at)) return false;
    }
    return true;
  }

  /** In place of the word that is there. */
  #remember(place: number, word: string): Reading {
    const reading = this.#read(word);
    for (let at = 0; at < word.length; at++) this.#letters[place * LETTERS_MAX + at] = word.charCodeAt(at);
    this.#lengths[place] = word.length;
    this.#readings[place] = reading;
    return reading;
  }
}
