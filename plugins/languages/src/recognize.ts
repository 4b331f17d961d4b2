import type { OtherLanguages } from "@membus/plugin-kit";
import { SCRIPTS, type Script, type Tongue } from "./tongue.js";

/** How sure recognition must be. */
interface Evidence {
  /** Stop words of the language, at least. */
  readonly hitsMin: number;
  /** The same, as a share of the stop words of the script's first language. */
  readonly shareMin: number;
}

/**
 * Tells the languages that a text is recognisably in, at most three. A mark above 0 is evidence of others than the script's
 * first language, by a bit for each; below 0 the first has the word, too.
 */
type Recognizer = Pick<OtherLanguages, "markOf" | "recognize">;

/** A query must be surely in a language: that one's stop words are dropped from it, and they may be English words. */
const EVIDENCE: Readonly<Record<"text" | "query", Evidence>> = {
  text: { hitsMin: 1, shareMin: 0.5 },
  query: { hitsMin: 2, shareMin: 1.5 },
};

/** Languages with nearly as many stop words as the likeliest may be meant as well: a short text fits several. */
const RIVAL_SHARE = 0.7;
const RECOGNIZED_MAX = 3;
const NON_ASCII = /[\u0080-\uffff]/;
/** No stop word that counts is longer. */
const STOP_WORD_LENGTH_MAX = 12;

/** Bits of a word's mark from here on: scripts of whose first language it is a stop word. Below: other languages. */
const FIRST_BIT = 24;
const SIGN_BIT = 31;

/**
 * Recognises languages by their stop words and letters. A stop word of the script's first language is no evidence,
 * but where there is other evidence, it tells apart those that are much alike.
 * @param first stop words of each script's first language
 * @param tongues the other languages, at most 24
 */
export function createRecognizer(
  first: Readonly<Record<Script, ReadonlySet<string>>>,
  tongues: readonly Tongue[],
): Recognizer {
  const hits = new HitCounts(tongues);
  return {
    markOf: markReader(first, tongues),
    recognize(marks, what) {
      if (!marks.some((mark) => mark > 0)) return [];
      hits.count(marks);
      const recognized = tongues
        .map((_, index) => index)
        .filter((index) => hits.suffice(index, EVIDENCE[what]));
      const best = Math.max(...recognized.map((index) => hits.of(index)));
      return recognized
        .filter((index) => hits.of(index) >= RIVAL_SHARE * best)
        .sort((one, other) => hits.of(other) - hits.of(one))
        .slice(0, RECOGNIZED_MAX)
        .map((index) => tongues[index]!);
    },
  };
}

/** Reads a word's mark: a bit for each language that has it as a stop word, else for each that has one of its letters. */
function markReader(
  first: Readonly<Record<Script, ReadonlySet<string>>>,
  tongues: readonly Tongue[],
): (word: string) => number {
  const words = new Map<string, number>();
  const letters = new Map<string, number>();
  const add = (marks: Map<string, number>, key: string, bit: number) => {
    marks.set(key, (marks.get(key) ?? 0) | (1 << bit));
  };
  for (const [index, tongue] of tongues.entries()) {
    for (const word of tongue.stopWords) add(words, word, index);
    for (const letter of tongue.letters) add(letters, letter, index);
  }
  for (const [index, script] of SCRIPTS.entries()) {
    for (const word of first[script]) {
      add(words, word, FIRST_BIT + index);
      add(words, word, SIGN_BIT);
    }
  }
  return (written) => {
    const mark = written.length > STOP_WORD_LENGTH_MAX ? 0 : (words.get(written.toLowerCase()) ?? 0);
    if (mark !== 0 || !NON_ASCII.test(written)) return mark;
    return [...written.toLowerCase()].reduce((bits, letter) => bits | (letters.get(letter) ?? 0), 0);
  };
}

/** How many words of a text each language has. Its memory is used again for the next text. */
class HitCounts {
  readonly #firstHits = new Int32Array(SCRIPTS.length);
  readonly #hits: Int32Array;
  /** Those that the script's first language does not have. */
  readonly #evidence: Int32Array;
  readonly #scripts: readonly number[];

  constructor(tongues: readonly Tongue[]) {
    this.#hits = new Int32Array(tongues.length);
    this.#evidence = new Int32Array(tongues.length);
    this.#scripts = tongues.map(({ script }) => SCRIPTS.indexOf(script));
  }

  count(marks: readonly number[]): void {
    for (const counts of [this.#firstHits, this.#hits, this.#evidence]) counts.fill(0);
    for (const mark of marks) this.#add(mark);
  }

  of(index: number): number {
    return this.#hits[index]!;
  }

  suffice(index: number, { hitsMin, shareMin }: Evidence): boolean {
    const share = shareMin * this.#firstHits[this.#scripts[index]!]!;
    return this.#evidence[index]! >= Math.max(hitsMin, share);
  }

  #add(mark: number): void {
    for (let rest = mark & ~(1 << SIGN_BIT); rest !== 0; rest &= rest - 1) {
      const bit = 31 - Math.clz32(rest & -rest);
      if (bit >= FIRST_BIT) this.#firstHits[bit - FIRST_BIT]!++;
      else {
        this.#hits[bit]!++;
        if (mark > 0) this.#evidence[bit]!++;
      }
    }
  }
}
