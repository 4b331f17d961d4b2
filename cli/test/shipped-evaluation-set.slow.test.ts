import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentText } from "../src/eval/document-entries.js";
import type { EvaluationReport } from "../src/eval/evaluation-report.js";
import { type EvaluationSet, readEvaluationSet } from "../src/eval/evaluation-set.js";
import { SHIPPED_SET } from "../src/eval/shipped-set.js";
import { runCli } from "./run-cli.js";

const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

let set: EvaluationSet;
beforeAll(async () => {
  set = await readEvaluationSet(SHIPPED_SET);
});

async function evaluate(...flags: string[]): Promise<EvaluationReport> {
  const { code, stdout, stderr } = await runCli(["eval", "--json", ...flags], { cwd: folder });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as EvaluationReport;
}

/** English function words, and the remains of contractions. */
const STOP_WORDS = new Set(
  (
    "i me my we our us you your he him his she her it its they them their what which who whom whose when where why " +
    "how am is are was were be been being have has had do does did would should could can will must may a an the and " +
    "but if or because as until while of at by for with about against between into through during before after above " +
    "below to from up down in out on off over under again then once here there all any both each more most other " +
    "some no nor not only own same so than too very just now this that these those s t d m ll re ve"
  ).split(" "),
);

/**
 * Returns the first four letters of each content word. This is coarser than any stemmer, so it finds more
 * shared words.
 */
function wordBeginnings(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !STOP_WORDS.has(word)).map((word) => word.slice(0, 4)));
}

describe("the built-in evaluation set", () => {
  it("is large enough, and a third of its questions share no word with their document", () => {
    expect(set.documents.length).toBeGreaterThanOrEqual(150);
    expect(set.queries.length).toBeGreaterThanOrEqual(120);
    const types = [...new Set(set.queries.map(({ type }) => type))].sort();
    expect(types).toEqual([
      "date",
      "identifier",
      "language",
      "no-shared-word",
      "paraphrase",
      "same-words",
      "several",
    ]);
    const unshared = set.queries.filter(({ type }) => type === "no-shared-word");
    expect(unshared.length / set.queries.length).toBeGreaterThanOrEqual(1 / 3);
  });

  it("shares no word stem in questions marked so", () => {
    const documents = new Map(set.documents.map((document) => [document.id, document]));
    const shared = set.queries
      .filter(({ type }) => type === "no-shared-word")
      .flatMap(({ question, gold }) => {
        const questionWords = wordBeginnings(question);
        const answered = gold.flatMap((id) => [...wordBeginnings(documentText(documents.get(id)!))]);
        const common = answered.filter((word) => questionWords.has(word));
        return common.length === 0 ? [] : [`${question}: ${common}`];
      });
    expect(shared).toEqual([]);
    // Verifies that the check finds shared stems.
    expect(wordBeginnings("How much was painted?")).toEqual(new Set(["much", "pain"]));
  });

  it("contains no duplicates", () => {
    expect(new Set(set.documents.map(({ text }) => text)).size).toBe(set.documents.length);
    expect(new Set(set.queries.map(({ question }) => question)).size).toBe(set.queries.length);
  });
});

describe("on a host with the default settings", () => {
  it("questions without shared words are rarely found by full-text search", async () => {
    const { by_type: byType } = await evaluate("--mode", "text", "--plain");
    // Questions that begin with "when" match entries that state a time.
    expect(byType["no-shared-word"]!["recall@25"]).toBeLessThan(0.1);
    expect(byType["same-words"]!["recall@10"]).toBe(1);
  });

  it("documents are found with the expected rate for each question type", async () => {
    const report = await evaluate();
    const recall = (type: string) => report.by_type[type]!["recall@10"];
    expect(report.metrics["recall@10"]).toBeGreaterThanOrEqual(0.96);
    expect(report.metrics["ndcg@10"]).toBeGreaterThanOrEqual(0.83);
    expect(recall("date")).toBeGreaterThanOrEqual(0.95);
    expect(recall("identifier")).toBe(1);
    expect(recall("language")).toBeGreaterThanOrEqual(0.95);
    expect(recall("no-shared-word")).toBeGreaterThanOrEqual(0.9);
    expect(recall("paraphrase")).toBeGreaterThanOrEqual(0.97);
    expect(recall("same-words")).toBe(1);
    expect(recall("several")).toBe(1);
  });

  it("documents are also found in a single shared namespace", async () => {
    const report = await evaluate("--no-namespace");
    const recall = (type: string) => report.by_type[type]!["recall@10"];
    expect(report.metrics["recall@10"]).toBeGreaterThanOrEqual(0.83);
    expect(report.metrics["ndcg@10"]).toBeGreaterThanOrEqual(0.71);
    expect(recall("date")).toBeGreaterThanOrEqual(0.9);
    expect(recall("identifier")).toBe(1);
    expect(recall("language")).toBeGreaterThanOrEqual(0.92);
    expect(recall("no-shared-word")).toBeGreaterThanOrEqual(0.56);
    expect(recall("paraphrase")).toBeGreaterThanOrEqual(0.97);
    expect(recall("same-words")).toBe(1);
    expect(recall("several")).toBe(1);
  });
});
