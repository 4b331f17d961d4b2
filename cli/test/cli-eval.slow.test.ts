import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EvaluationReport } from "../src/eval/evaluation-report.js";
import { endChild, lineOf, runCli, spawnCli } from "./run-cli.js";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

const lines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** Two conversations with the same statements about different days. */
const DOCUMENTS = ["garden", "office"].flatMap((conv) => [
  { id: `${conv}-1`, conv, session: 1, date: "9 am on 8 May, 2023", text: `The ${conv} has a red door` },
  { id: `${conv}-2`, conv, session: 1, date: "sometime", text: "It squeaks" },
  { id: `${conv}-3`, conv, session: 2, date: "2023-06-01", text: `Lunch in the ${conv} is at noon` },
]);
const QUERIES = [
  { id: "q1", conv: "garden", type: "single", question: "red door", gold: ["garden-1"] },
  { id: "q2", conv: "office", type: "single", question: "When is lunch?", gold: ["office-3"] },
  { id: "q3", conv: "office", type: "both", question: "red door, lunch", gold: ["office-1", "office-3"] },
  { id: "q4", type: "anywhere", question: "lunch in the garden", gold: ["garden-3"] },
  { id: "q5", conv: "office", type: "none", question: "red door", gold: ["office-2"], main: false },
];

/** Writes the set to a subfolder of the host's folder. */
function folderOf(name: string, queries: readonly object[] = QUERIES): string {
  const folder = join(host.directory, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "docs.jsonl"), lines(DOCUMENTS));
  writeFileSync(join(folder, "queries.jsonl"), lines(queries));
  return folder;
}

const reportOf = (text: string) => JSON.parse(text) as EvaluationReport;
/** Runs without a server setting, so that a temporary host is started. */
const alone = (args: readonly string[]) => runCli(["eval", ...args], { cwd: host.directory });
const temporaryFolders = () => readdirSync(host.directory).filter((name) => name.startsWith("membus-eval-"));

/** Returns the number of entries on the running host. */
async function storedCount(): Promise<number> {
  const memory = await MemoryClient.connect({ servers: host.url, agent: "cli" });
  const { total } = await memory.retrieve({ namespace: "default/**", limit: 0 });
  await memory.close();
  return total;
}

describe("membus eval", () => {
  it("measures a set on a temporary host, and removes all its data", async () => {
    const folder = folderOf("own-host");
    const run = join(host.directory, "run.jsonl");
    const { code, stdout, stderr } = await alone([folder, "--json", "--run", run]);
    expect(code, stderr).toBe(0);
    const report = reportOf(stdout);
    expect(report).toMatchObject({
      metrics: { "recall@1": 0.875, "recall@10": 1, "all@10": 1, mrr: 1, "ndcg@10": 1 },
      by_type: { single: { queries: 2, "recall@1": 1 }, both: { queries: 1, "recall@1": 0.5 } },
      queries: 4,
      documents: 6,
      dates_unreadable: 2,
      degraded: 0,
    });
    expect(report.latency_ms.p50).toBeGreaterThan(0);
    expect(report.latency_ms.p95).toBeGreaterThanOrEqual(report.latency_ms.p50);
    expect(report.questions[1]).toEqual({ id: "q2", type: "single", ranks: [1] });
    expect(stderr).toContain("document garden-2: stored without its date, which cannot be parsed: sometime");
    const ranked = readFileSync(run, "utf8").trim().split("\n");
    expect(ranked).toHaveLength(4);
    expect(JSON.parse(ranked[0]!)).toMatchObject({ id: "q1", ranked: expect.arrayContaining(["garden-1"]) });
    expect(temporaryFolders()).toEqual([]);
  });

  it("uses a running host, and forgets the documents afterwards", async () => {
    const folder = folderOf("running-host");
    const { code, stdout, stderr } = await host.cli(["eval", folder, "--tier", "semantic", "--all"]);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^6 documents, 5 questions: semantic tier, hybrid, one namespace per conv/);
    expect(stdout).toMatch(/\nall +5 /);
    expect(await storedCount()).toBe(0);
  });

  it("continues reading when a page of long documents is cut", async () => {
    const folder = folderOf("long-documents");
    const documents = Array.from({ length: 30 }, (_, index) => ({
      id: `long-${index}`,
      text: `The harbour at night ${"x".repeat(60_000)}`,
    }));
    const query = { id: "q", question: "harbour", gold: documents.map(({ id }) => id) };
    writeFileSync(join(folder, "docs.jsonl"), lines(documents));
    writeFileSync(join(folder, "queries.jsonl"), lines([query]));
    const { metrics, questions } = await host.json<EvaluationReport>(["eval", folder]);
    expect(questions[0]!.ranks.toSorted((a, b) => a! - b!).at(-1)).toBe(30);
    expect(metrics["ndcg@10"]).toBe(1);
  });

  it("compares with an earlier run, and fails on a significant loss", async () => {
    const folder = folderOf("compared");
    const before = join(host.directory, "before.json");
    expect((await host.cli(["eval", folder, "--json", before])).code).toBe(0);
    expect(reportOf(readFileSync(before, "utf8")).queries).toBe(4);
    const same = await host.cli(["eval", folder, "--baseline", before, "--fail-on-loss"]);
    expect(same.code, same.stderr).toBe(0);
    expect(same.stdout).toMatch(/compared with the baseline over 4 questions \(0 only here, 0 only in/);
    expect(same.stdout).toMatch(/\n {2}recall@10 +\+0\.00 {3}95 %: \+0\.00 \.\. \+0\.00\n/);

    const wrong = QUERIES.map((query) => ({ ...query, question: "zzz" }));
    const worse = ["eval", folderOf("worse", wrong), "--mode", "text", "--baseline", before];
    expect((await host.cli(worse)).code).toBe(0);
    expect((await host.cli([...worse, "--fail-on-loss"])).code).toBe(1);
  });

  it("omits parts of a document", async () => {
    const flags = ["--no-namespace", "--no-date", "--context", "5"];
    const report = await host.json(["eval", folderOf("switches"), ...flags]);
    expect(report.settings).toEqual({
      ...{
        tier: "episodic",
        mode: "hybrid",
        unit: "document",
        namespaces: false,
        groups: true,
        dates: false,
      },
      ...{ context: 5, all: false },
    });
  });

  it.each<[string, string[], RegExp]>([
    ["a folder without a set", ["./nowhere"], /cannot read nowhere\/docs\.jsonl/],
    ["a file without --json", [".", "out.json"], /out\.json: a second argument is the output file of --json/],
    ["a file in an absent folder", ["--json", "./nowhere/out.json"], /cannot write \.\/nowhere\/out\.json/],
    ["an invalid baseline", ["--baseline", "compared/docs.jsonl"], /docs\.jsonl: not valid JSON/],
  ])("rejects %s before it starts anything", async (_what, args, message) => {
    const { code, stderr } = await alone(args);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(temporaryFolders()).toEqual([]);
  });

  it("removes temporary data when it is interrupted", async () => {
    const child = spawnCli(["eval"], { cwd: host.directory });
    await lineOf(child, /^stored/);
    expect(temporaryFolders()).toHaveLength(1);
    expect(await endChild(child, "SIGINT")).toBe(1);
    expect(temporaryFolders()).toEqual([]);
  });

  it("forgets the documents on a running host when it is interrupted", async () => {
    const child = host.spawn(["eval"]);
    await lineOf(child, /^stored/);
    expect(await endChild(child, "SIGINT")).toBe(1);
    expect(await storedCount()).toBe(0);
  });
});
