import { readdirSync, readFileSync } from "node:fs";
import type { Analyzer } from "@membus/plugin-kit";
import { rank } from "../../kit/test/rank.js";
import { buildCorpus } from "../../kit/test/rank-corpus.js";

/**
 * Folder with sentences and queries, one file per language. A line is an entry, the indented lines below it
 * are its queries.
 */
const FOLDER = new URL("./languages/", import.meta.url);

/** Files without translations. All other files have the same contents, line by line. */
const UNTRANSLATED = ["identifiers", "mixed"];

interface Entry {
  readonly language: string;
  readonly text: string;
  /** Line in the file, equal for all translations of a sentence. */
  readonly translation: number | undefined;
}

interface Question {
  readonly language: string;
  readonly query: string;
  /** Index of the entry that answers the query. */
  readonly answer: number;
}

export interface LanguageRecall {
  readonly language: string;
  readonly entries: number;
  readonly queries: number;
  /** Share of queries with their entry first, and among the first five, of the entries of all languages. */
  readonly at1: number;
  readonly at5: number;
  readonly missed: readonly string[];
}

/** Runs the queries of every language on one partition with the entries of all languages, by words only. */
export function measureLanguages(analyzer: Analyzer): LanguageRecall[] {
  const { entries, questions } = readSets();
  const corpus = buildCorpus(entries.map(({ text }) => ({ terms: termsOf(analyzer, text) })));
  const places = questions.map(({ query, answer }) => {
    const scores = rank(corpus, { terms: analyzer.analyzeQuery(query) });
    return scores[answer] === 0 ? Number.POSITIVE_INFINITY : rankOf(scores, entries, answer);
  });
  return [...new Set(entries.map(({ language }) => language))].map((language) => {
    const asked = questions.map((question, index) => ({ ...question, place: places[index]! }));
    const own = asked.filter((question) => question.language === language);
    const share = (most: number) => own.filter(({ place }) => place <= most).length / own.length;
    const missed = own.filter(({ place }) => place > 1).map(({ query, place }) => `${query} (${place})`);
    const count = entries.filter((entry) => entry.language === language).length;
    return { language, entries: count, queries: own.length, at1: share(1), at5: share(5), missed };
  });
}

/** Returns the worst rank that equal scores allow. Translations of the answer are ignored. */
function rankOf(scores: Float32Array, entries: readonly Entry[], answer: number): number {
  const { translation } = entries[answer]!;
  const isRival = (slot: number) => translation === undefined || entries[slot]!.translation !== translation;
  return (
    1 + scores.filter((score, slot) => slot !== answer && score >= scores[answer]! && isRival(slot)).length
  );
}

function readSets() {
  const entries: Entry[] = [];
  const questions: Question[] = [];
  for (const file of readdirSync(FOLDER).sort()) {
    const language = file.replace(".txt", "");
    let next = 0;
    for (const line of readFileSync(new URL(file, FOLDER), "utf8").trimEnd().split("\n")) {
      const query = /^ {2}\? (.+)$/.exec(line)?.[1];
      const translation = UNTRANSLATED.includes(language) ? undefined : next;
      if (query === undefined) next = entries.push({ language, text: line, translation }) && next + 1;
      else questions.push({ language, query, answer: entries.length - 1 });
    }
  }
  return { entries, questions };
}

function termsOf(analyzer: Analyzer, text: string): Record<number, readonly [number, number, number]> {
  const packed = analyzer.analyze({ text, context: "", occurredAt: undefined });
  const pairs = Array.from({ length: packed.length / 2 }, (_, index) => {
    const [hash, counts] = packed.subarray(2 * index, 2 * index + 2);
    return [hash!, [counts! & 255, 0, 0]] as const;
  });
  return Object.fromEntries(pairs);
}
