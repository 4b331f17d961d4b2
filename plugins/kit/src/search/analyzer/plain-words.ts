import { randomBytes } from "node:crypto";

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
