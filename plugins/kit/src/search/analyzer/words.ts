import { randomBytes } from "node:crypto";
import { gramsOf, hasUnspacedScript } from "./grams.js";
import type { Language, OtherLanguage } from "./language.js";
import { termHash } from "./packed-terms.js";

/**
 * Limit of the analysed part of a text, context or query, in UTF-16 units (about 10,000 words). The rest is
 * not indexed.
 */
const ANALYZED_LENGTH_MAX = 65_536;
/** Limit of the significant part of a word, in UTF-16 units. The rest is ignored. */
const WORD_LENGTH_MAX = 64;

/** Returns the part of a text that is analysed. */
export function boundedText(text: string): string {
  return text.slice(0, ANALYZED_LENGTH_MAX);
}

/**
 * Matches a hash or an address in hexadecimal digits, with or without 0x. It is not split into parts between
 * letters and digits.
 */
const HEX_ID = /^(?:0[xX])?([\da-f]{16,}|[\dA-F]{16,})$/;

/** Limit of the significant digits of an id: the length of a SHA-512 hash. */
const DIGITS_MAX = 128;

/** Returns the normalized digits of a long hexadecimal id, or undefined for any other word. */
export function hexId(word: string): string | undefined {
  return HEX_ID.exec(word)?.[1]?.slice(0, DIGITS_MAX).toLowerCase();
}

/** Returns the lower-case forms of a word, with accents. Empty for a stop word. */
export function contentForms(word: string, language: Language): string[] {
  const forms = wordForms(hexId(word) ?? word.slice(0, WORD_LENGTH_MAX));
  return forms.filter((form) => !language.stopWords.has(fold(form)));
}

/**
 * Returns the hash of a stem in another language. Stems of different languages are different terms: `care` is
 * not the stem of Spanish `caras`.
 */
export function hashIn({ name, stem }: OtherLanguage, form: string): number {
  return termHash(`${name}:${fold(stem(form))}`);
}

const NON_ASCII = /[\u0080-\uffff]/;
/**
 * Matches marks that people leave out: accents, and the vowel signs of Arabic and Hebrew. й and ї are
 * separate letters. The signs of Indic scripts and the sound marks of kana are kept, because they change the
 * sound.
 */
const MARK =
  /(?<![иИуУ])\u0306|(?<![іІ])\u0308|[\u0300-\u0305\u0307\u0309-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u0640]/g;
/** Letters with an ASCII or similar spelling that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" },
  ...{ ى: "ي", ς: "σ" },
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/** Returns a lower-case word without accents, as typed on a plain keyboard. */
export function fold(word: string): string {
  if (!NON_ASCII.test(word)) return word;
  const unmarked = word.normalize("NFD").replace(MARK, "").normalize("NFC");
  return unmarked.replace(LETTER, (letter) => LETTERS[letter]!);
}

const ASCII_WORD = /\w+/g;
const POINT_IN_NUMBER = /\d\.\d/;
/** Matches a dotted number, such as a release, before other words, because it is also indexed as a whole. */
const WORD =
  /(?<![\p{L}\p{N}_])[vV]?\d+(?:\.\d+){1,64}(?![\p{L}\p{N}_])|[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*|\p{RI}{2}|\p{Extended_Pictographic}/gu;
/** Matches characters without a glyph: variation selectors, keycaps, joiners, the soft hyphen. */
const INVISIBLE = /[\ufe00-\ufe0f\u20e3\u200b-\u200d\u2060\u00ad]/g;

/**
 * Matches the boundary between the parts of a word: a lower-case letter or digit before a capital, the last
 * capital of an acronym before a word, and a letter before three digits (E1234).
 */
const PART_BOUNDARY = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})|(?<=\p{L})(?=\d{3})/u;

/** Returns whether the words of a text are its runs of ASCII letters, digits and `_`. */
export function isPlain(text: string): boolean {
  return !NON_ASCII.test(text) && !POINT_IN_NUMBER.test(text);
}

/**
 * Splits a text into words. Compatibility characters are unified (full-width forms, ligatures), accents and
 * case are kept. An emoji is a word. A script without spaces gives single characters and pairs.
 */
export function splitWords(text: string): string[] {
  if (isPlain(text)) return text.match(ASCII_WORD) ?? [];
  const isAscii = !NON_ASCII.test(text);
  const unified = isAscii ? text : text.normalize("NFKC").replace(INVISIBLE, "");
  const words = unified.match(WORD) ?? [];
  return isAscii || !hasUnspacedScript(unified) ? words : words.flatMap(gramsOf);
}

/**
 * Returns the lower-case forms under which a word is found: itself and, for camelCase, snake_case and 2.15.2,
 * its parts.
 */
export function wordForms(word: string): string[] {
  if (word.includes(".")) return numberForms(word.toLowerCase());
  const parts = word
    .split(/_+/)
    .flatMap(partsOf)
    .filter((part) => part !== "");
  const forms = parts.length > 1 ? [parts.join(""), ...parts] : parts;
  return forms.map(lowerCase);
}

/** Splits a word into parts. A long hexadecimal id stays whole, because its parts would match other ids. */
function partsOf(word: string): string[] {
  const id = hexId(word);
  return id === undefined ? word.split(PART_BOUNDARY) : [id];
}

/** Returns the forms of a dotted number: `v2.15.2` is found as 2.15.2, v2, 2 and 15. */
function numberForms(word: string): string[] {
  const parts = word.split(".");
  return word.startsWith("v") ? [word.slice(1), ...parts, parts[0]!.slice(1)] : [word, ...parts];
}

/** Lower-cases a word. The capital of the dotted i becomes a plain i. */
function lowerCase(form: string): string {
  return form.toLowerCase().replace("i\u0307", "i");
}

/** 1 for each ASCII character that a word can contain: letters, digits and `_`. */
const IN_WORD = Uint8Array.from({ length: 128 }, (_, code) => Number(/\w/.test(String.fromCharCode(code))));

/** Number of cached words, a power of two. */
const PLACES = 32_768;
/** Length of the longest cached word. */
const LETTERS_MAX = 16;
/** Number of positions, from its hash position on, where a word may be cached. */
const TRIES = 4;
const PRIME = 0x01000193;
/** Random seed. Callers cannot predict it, so they cannot force hash collisions. */
const SEED = randomBytes(4).readInt32LE();

/**
 * Analyses the words of plain texts (see `isPlain`) and caches the result by the letters of the word. Cached
 * words are analysed without creating a string.
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

  /** Visits the analysis of each word of a text, in order. */
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

  /** Caches a word, replacing the one at this position. */
  #remember(place: number, word: string): Reading {
    const reading = this.#read(word);
    for (let at = 0; at < word.length; at++) this.#letters[place * LETTERS_MAX + at] = word.charCodeAt(at);
    this.#lengths[place] = word.length;
    this.#readings[place] = reading;
    return reading;
  }
}
