import type { Snippet } from "@membus/protocol";
import { textOf, wordsOf } from "./relevance.js";
import type { Row } from "./row.js";

const SEARCHED_LENGTH_MAX = 65_536;
/** Matches a paragraph of at most 2,048 code units, else a part of it. */
const PARAGRAPH = /\S.{0,2047}?(?=\n\n|$)|\S.{0,2047}/gs;

/** Returns the paragraphs of a row's text in order, at least one. */
export function paragraphsOf(row: Row): Snippet[] {
  const found = textOf(row).slice(0, SEARCHED_LENGTH_MAX).matchAll(PARAGRAPH);
  const paragraphs = [...found].map(({ 0: text, index }) => ({ text: text.trimEnd(), start: index }));
  return paragraphs.length === 0 ? [{ text: "", start: 0 }] : paragraphs;
}

/** Returns how many distinct words of a query a paragraph contains. */
export function matchedCount({ text }: Snippet, query: string | undefined): number {
  const words = wordsOf(text);
  return [...wordsOf(query ?? "")].filter((word) => words.has(word)).length;
}

/** Returns the first of the paragraphs with the most words of the query. */
export function bestParagraph(row: Row, query: string | undefined): Snippet {
  return paragraphsOf(row).reduce((best, paragraph) =>
    matchedCount(paragraph, query) > matchedCount(best, query) ? paragraph : best,
  );
}
