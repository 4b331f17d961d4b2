import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { saturation } from "../src/search/rank/bm25f.js";
import { fuseEvidence, relevance } from "../src/search/rank/relevance.js";

const ONCE = saturation(1, 1, 1);

/** Evidence for each row of the README's table, by the start of the row. */
const EXAMPLES: Readonly<Record<string, number>> = {
  "similarity 0.325 alone": fuseEvidence(0, 0.325),
  "similarity 0.425 alone": fuseEvidence(0, 0.425),
  "one of four equally rare words": ONCE / 4,
  "similarity 0.55 alone": fuseEvidence(0, 0.55),
  "one of three words, and similarity 0.05": fuseEvidence(ONCE / 3, 0.05),
  "all words, but only in the context": saturation(0.5, 1, 1),
  "one of two words, and similarity 0.43": fuseEvidence(ONCE / 2, 0.43),
  "all words": ONCE,
  "a rare word, the whole query, in an entry ten times as long as usual": saturation(1, 10, 0.09),
  "all words in an entry a third as long as usual, and similarity 1": fuseEvidence(
    saturation(1, 1 / 3, 1),
    1,
  ),
};

it("relevance equals the README's examples", () => {
  const readme = readFileSync(new URL("../../../docs/concepts/score.md", import.meta.url), "utf8");
  const rows = [...readme.matchAll(/^\| (0\.\d+) \| ([^:|]+?)(?:: .*)? \|$/gm)];
  const written = rows.map(([, score, example]) => [example, Number(score)]);
  const expected = Object.entries(EXAMPLES).map(([example, evidence]) => [
    example,
    Number(relevance(evidence).toFixed(2)),
  ]);
  expect(written).toEqual(expected);
});
