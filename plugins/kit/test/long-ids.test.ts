import { createHash } from "node:crypto";
import { createStaticEmbedder } from "@membus/embeddings";
import { expect, it } from "vitest";
import { createEnglishAnalyzer, hashesOf } from "../src/search/analyzer/index.js";
import { explainSlots } from "../src/search/rank/index.js";
import { partitionOf } from "./meaning-partition.js";
import { rank } from "./rank.js";

const SENTENCE = "The build of a module waits while another worker holds the lock on shared storage. ";
const LONG = 16_000;

const embedder = createStaticEmbedder();
const analyzer = createEnglishAnalyzer();

function prose(length: number): string {
  return SENTENCE.repeat(length / SENTENCE.length);
}

function idOf(seed: number, digits: number): string {
  return createHash("sha512").update(String(seed)).digest("hex").slice(0, digits);
}

/** Returns another id that differs in one digit. */
function similarTo(id: string): string {
  const at = id.length - 3;
  return `${id.slice(0, at)}${id[at] === "a" ? "b" : "a"}${id.slice(at + 1)}`;
}

/** Returns the relevance of a long text with an id, and of a short one with a similar id. */
async function relevances(id: string, query: string): Promise<{ exact: number; similar: number }> {
  const texts = [`${prose(LONG / 2)} ${id} ${prose(LONG / 3)}`, `${SENTENCE} ${similarTo(id)} ${SENTENCE}`];
  const partition = await partitionOf({ embedder, analyzer }, texts);
  const [vector] = await embedder.embed([query], "query");
  const terms = analyzer.analyzeQuery(query);
  const corpus = partition.corpus(hashesOf(terms));
  const asked = { terms, ...(vector && { vector }) };
  const [exact, similar] = rank(corpus, asked);
  const [explained] = explainSlots(corpus, asked, [0]);
  expect(explained!.terms.reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(explained!.lexical, 6);
  return { exact: exact!, similar: similar! };
}

it.each([32, 40, 64, 128])(
  "an id of %i hexadecimal digits in a long text ranks above a similar one in a short text",
  async (digits) => {
    for (let seed = 0; seed < 8; seed++) {
      const id = idOf(seed, digits);
      for (const query of [id, `0x${id.toUpperCase()}`]) {
        const { exact, similar } = await relevances(id, query);
        expect(exact).toBeGreaterThan(0.88);
        expect(similar).toBeLessThan(0.8);
      }
    }
  },
);
