import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { saturation } from "../src/rank/bm25f.js";
import { fuseEvidence, relevance } from "../src/rank/relevance.js";

const USUAL = 20;
/** A word once in the text of an entry of `length`, as a share of what words can say. */
const wordOnce = (length = USUAL) => saturation(1, length, USUAL);

/** What the rows of the README's table say, in their order. */
const EXAMPLES: readonly (readonly number[])[] = [
  [fuseEvidence(0, 0.33)],
  [fuseEvidence(0, 0.42)],
  [fuseEvidence(0, 0.55)],
  [wordOnce(0.8 * USUAL) / 3],
  [saturation(0.5, USUAL, USUAL)],
  [(2 / 3) * wordOnce(), fuseEvidence(wordOnce() / 2, 0.42)],
  [wordOnce()],
  [fuseEvidence(wordOnce(USUAL / 3), 1)],
];

it("scores are what the README's examples say", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, table] = readme.split("| score | for example |\n|---|---|\n");
  const scores = [...table!.split("\n\n")[0]!.matchAll(/^\| (0\.\d+) \|/gm)].map(([, score]) =>
    Number(score),
  );
  expect(scores.length).toBe(EXAMPLES.length);
  for (const [row, score] of scores.entries()) {
    for (const evidence of EXAMPLES[row]!)
      expect(Math.abs(relevance(evidence) - score), `${score}`).toBeLessThan(0.01);
  }
});
