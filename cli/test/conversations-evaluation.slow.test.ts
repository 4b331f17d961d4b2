import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { compareRuns, type Difference } from "../src/eval/compare-runs.js";
import type { EvaluationReport } from "../src/eval/evaluation-report.js";
import { runCli } from "./run-cli.js";

/**
 * Long conversations. Their licence does not allow a copy in this repository. The test reads them if they are
 * present.
 */
const CONVERSATIONS = fileURLToPath(new URL("../../../shared/data/locomo-dev", import.meta.url));
const present = existsSync(join(CONVERSATIONS, "docs.jsonl"));

const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const reports = new Map<string, Promise<EvaluationReport>>();

function evaluate(flags = ""): Promise<EvaluationReport> {
  const known = reports.get(flags) ?? run(flags);
  reports.set(flags, known);
  return known;
}

async function run(flags: string): Promise<EvaluationReport> {
  const args = ["eval", CONVERSATIONS, "--json", ...flags.split(" ").filter((flag) => flag !== "")];
  const { code, stdout, stderr } = await runCli(args, { cwd: folder });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as EvaluationReport;
}

/** Returns the gain of the first flags over the second, with its interval. */
async function gain(withIt: string, withoutIt: string, metric: "recall@10" | "ndcg@10"): Promise<Difference> {
  const [here, there] = [await evaluate(withIt), await evaluate(withoutIt)];
  return compareRuns(here.questions, there.questions).differences[metric];
}

describe.skipIf(!present)(
  "the LoCoMo conversations (read from ../shared/data/locomo-dev, if present)",
  () => {
    it("are found by their text only", async () => {
      const { queries, metrics } = await evaluate("--plain");
      expect(queries).toBe(707);
      expect(metrics["recall@10"]).toBeGreaterThanOrEqual(0.64);
      expect(metrics["ndcg@10"]).toBeGreaterThanOrEqual(0.51);
    });

    it("are found better with context, date and session", async () => {
      const { metrics } = await evaluate();
      expect(metrics["recall@10"]).toBeGreaterThanOrEqual(0.75);
      expect(metrics["ndcg@10"]).toBeGreaterThanOrEqual(0.585);
    });

    it("are found nearly as well in a single namespace", async () => {
      const [apart, together] = [await evaluate(), await evaluate("--no-namespace")];
      expect(apart.metrics["recall@10"] - together.metrics["recall@10"]).toBeLessThan(0.02);
      expect(apart.metrics["ndcg@10"] - together.metrics["ndcg@10"]).toBeLessThan(0.03);
    });

    it.each([
      ["vectors in addition to words", "--plain", "--plain --mode text"],
      ["words in addition to vectors", "--plain", "--plain --mode vector"],
      ["the two preceding turns", "", "--context 0"],
      ["the session, without preceding turns", "--context 0", "--context 0 --no-group"],
    ])("%s significantly improve recall and order", async (_, withIt, withoutIt) => {
      expect((await gain(withIt, withoutIt, "recall@10")).low).toBeGreaterThan(0);
      expect((await gain(withIt, withoutIt, "ndcg@10")).low).toBeGreaterThan(0);
    });
  },
);
