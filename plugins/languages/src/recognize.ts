import type { OtherLanguages } from "@membus/plugin-kit";
import { type LanguageProfile, SCRIPTS, type Script } from "./language-profile.js";

/** Threshold for recognising a language. */
interface Evidence {
  /** Minimum number of stop words of the language. */
  readonly hitsMin: number;
  /** Minimum number of its stop words, as a share of the stop words of the script's first language. */
  readonly shareMin: number;
}

/**
 * Recognises the languages of a text, at most three. A mark above 0 is evidence for other languages than the
 * script's first, with one bit each. A mark below 0 belongs to a word that the first language also has.
 */
type Recognizer = Pick<OtherLanguages, "markOf" | "recognize">;

/**
 * A query needs more evidence, because stop words of a recognised language are dropped from it, and they may
 * be English words.
 */
const EVIDENCE: Readonly<Record<"text" | "query", Evidence>> = {
  text: { hitsMin: 1, shareMin: 0.5 },
  query: { hitsMin: 2, shareMin: 1.5 },
};

/**
 * Share of the best language's stop words from which another language is also accepted, because a short text
 * may match several.
 */
const ALTERNATIVE_SHARE = 0.7;
const RECOGNIZED_MAX = 3;
const NON_ASCII = /[\u0080-\uffff]/;
/** Length of the longest relevant stop word. */
const STOP_WORD_LENGTH_MAX = 12;

/**
 * First bit for scripts in a mark: the word is a stop word of the script's first language. Lower bits stand
 * for other languages.
 */
const FIRST_BIT = 24;
const SIGN_BIT = 31;

/**
 * Creates a recognizer that uses stop words and letters. A stop word of the script's first language is no
 * evidence. With other evidence, it helps to distinguish similar languages.
 * @param first stop words of each script's first language
 * @param profiles the other languages, at most 24
 */
export function createRecognizer(
  first: Readonly<Record<Script, ReadonlySet<string>>>,
  profiles: readonly LanguageProfile[],
): Recognizer {
  const hits = new HitCounts(profiles);
  return {
    markOf: markReader(first, profiles),
    recognize(marks, kind) {
      if (!marks.some((mark) => mark > 0)) return [];
      hits.count(marks);
      const recognized = profiles
        .map((_, index) => index)
        .filter((index) => hits.suffice(index, EVIDENCE[kind]));
      const best = Math.max(...recognized.map((index) => hits.of(index)));
      return recognized
        .filter((index) => hits.of(index) >= ALTERNATIVE_SHARE * best)
        .sort((one, other) => hits.of(other) - hits.of(one))
        .slice(0, RECOGNIZED_MAX)
        .map((index) => profiles[index]!);
    },
  };
}

/**
 * Returns a function that computes a word's mark: a bit for each language with this stop word, otherwise for
 * each language with one of its letters.
 */
function markReader(
  first: Readonly<Record<Script, ReadonlySet<string>>>,
  profiles: readonly LanguageProfile[],
): (word: string) => number {
  const words = new Map<string, number>();
  const letters = new Map<string, number>();
  const add = (marks: Map<string, number>, key: string, bit: number) => {
    marks.set(key, (marks.get(key) ?? 0) | (1 << bit));
  };
  for (const [index, profile] of profiles.entries()) {
    for (const word of profile.stopWords) add(words, word, index);
    for (const letter of profile.letters) add(letters, letter, index);
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

/** Counts the words of a text per language. Its memory is reused for the next text. */
class HitCounts {
  readonly #firstHits = new Int32Array(SCRIPTS.length);
  readonly #hits: Int32Array;
  /** Number of hits that the script's first language does not have. */
  readonly #evidence: Int32Array;
  readonly #scripts: readonly number[];

  constructor(profiles: readonly LanguageProfile[]) {
    this.#hits = new Int32Array(profiles.length);
    this.#evidence = new Int32Array(profiles.length);
    this.#scripts = profiles.map(({ script }) => SCRIPTS.indexOf(script));
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
