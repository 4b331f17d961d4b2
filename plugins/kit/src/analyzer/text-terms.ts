import { boundedWords, contentForms, hashIn } from "./content-forms.js";
import { fold } from "./fold.js";
import type { Language, OtherLanguages } from "./language.js";
import { memoizeWords } from "./memo.js";
import type { Evidence } from "./recognize.js";
import type { TermCounts } from "./term-counts.js";
import { termHash } from "./term-hash.js";
import type { Tongue } from "./tongue.js";

const WORDS_REMEMBERED_MAX = 20_000;
/** How sure it must be that a text is in another language to find it by that one's stems, too. */
const TEXT_EVIDENCE: Evidence = { hitsMin: 1, shareMin: 0.5 };

interface WordReading {
  readonly hashes: readonly number[];
  /** What the word says of its text's language. */
  readonly mark: number;
}

/** Counts the terms of a text into a field: those of the language, then those of each other that it is recognised as. */
export function createTextAnalysis(
  language: Language,
): (counts: TermCounts, text: string, shift: number) => void {
  const read = memoizeWords((word) => readWord(word, language), WORDS_REMEMBERED_MAX);
  const otherHashes = otherTermHashes(language);
  return (counts, text, shift) => {
    const words = boundedWords(text, language);
    const marks: number[] = [];
    for (const word of words) {
      const { hashes, mark } = read(word);
      if (mark !== 0) marks.push(mark);
      for (const hash of hashes) counts.add(hash, shift);
    }
    for (const hash of otherHashes(words, marks)) counts.add(hash, shift);
  };
}

function readWord(word: string, language: Language): WordReading {
  return {
    hashes: contentForms(word, language).map((form) => termHash(language.stem(fold(form)))),
    mark: language.others?.markOf(word) ?? 0,
  };
}

/** Terms of words in the other languages that their marks tell, a hash for every occurrence. */
function otherTermHashes(
  language: Language,
): (words: readonly string[], marks: readonly number[]) => number[] {
  const { others } = language;
  if (others === undefined) return () => [];
  const hashesByTongue = new Map<Tongue, (word: string) => readonly number[]>();
  const hashesIn = (tongue: Tongue) => {
    const known = hashesByTongue.get(tongue);
    if (known !== undefined) return known;
    const hashes = memoizeWords((word) => hashesOfWord(word, language, others, tongue), WORDS_REMEMBERED_MAX);
    hashesByTongue.set(tongue, hashes);
    return hashes;
  };
  return (words, marks) =>
    others
      .recognize(marks, TEXT_EVIDENCE)
      .flatMap((tongue) => words.flatMap((word) => hashesIn(tongue)(word)));
}

function hashesOfWord(word: string, language: Language, others: OtherLanguages, tongue: Tongue): number[] {
  return contentForms(word, language)
    .filter((form) => !tongue.stopWords.has(form) && others.of(form).includes(tongue))
    .map((form) => hashIn(tongue, form));
}
