import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { EvaluationReport } from "../src/eval/evaluation-report.js";
import { runCli } from "./run-cli.js";

/** Long conversations under a licence that keeps them out of this repository: read where somebody put them. */
const CONVERSATIONS = fileURLToPath(new URL("../../../shared/data/locomo-dev", import.meta.url));
const present = existsSync(join(CONVERSATIONS, "docs.jsonl"));

const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function evaluate(...flags: string[]): Promise<EvaluationReport> {
  const args = ["eval", CONVERSATIONS, "--json", ...flags];
  const { code, stdout, stderr } = await runCli(args, { cwd: folder });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as EvaluationReport;
}

describe.skipIf(!present)(
  "the LoCoMo conversations (read from ../shared/data/locomo-dev, where there is one)",
  () => {
    it("are found by their text alone", async () => {
      const { queries, metrics } = await evaluate("--plain");
      expect(queries).toBe(707);
      expect(metrics["recall@10"]).toBeGreaterThanOrEqual(0.64);
      expect(metrics["ndcg@10"]).toBeGreaterThanOrEqual(0.51);
    });

    it("are found better by what was said before, and when, and in which session", async () => {
      const { metrics } = await evaluate();
      expect(metrics["recall@10"]).toBeGreaterThanOrEqual(0.745);
      expect(metrics["ndcg@10"]).toBeGreaterThanOrEqual(0.585);
    });
  },
);
