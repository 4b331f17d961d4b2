import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BenchEnvironment, PROGRAM } from "../harness/environment.js";
import { type BenchResult, benchResult } from "../harness/result.js";

const NAME = "eval";
/** The hybrid search may be this much worse than the better of its parts. */
const TOLERANCE = 0.01;
const GOAL_METRICS = ["recall@10", "recall@1"] as const;

/** Conversations of other projects. Their licences do not allow copies in this repository. */
interface ConversationSet {
  readonly name: string;
  /** Format of the path that the variable contains, if it has no docs.jsonl. */
  readonly format: string;
  readonly variable: string;
  readonly beside: string;
  readonly args: readonly string[];
}

const BEAM = { format: "beam", variable: "MEMBUS_BEAM", beside: "beam-dev" };
const LOCOMO = { format: "locomo", variable: "MEMBUS_LOCOMO", beside: "locomo-dev" };
const SETS: readonly ConversationSet[] = [
  { name: "beam", ...BEAM, args: [] },
  { name: "locomo", ...LOCOMO, args: [] },
  { name: "locomo-sessions", ...LOCOMO, args: ["--unit", "session"] },
];
const SHARED_DATA = fileURLToPath(new URL("../../../../../shared/data/", import.meta.url));

type Metrics = Readonly<Record<(typeof GOAL_METRICS)[number], number>>;
/** The used part of the report of `membus eval --json`. */
interface Report {
  readonly metrics: Metrics;
  readonly by_type: Readonly<Record<string, Metrics & { readonly queries: number }>>;
}

/** Measures recall in conversations, overall and by type of question. Sets that do not exist are skipped. */
export async function benchEval(environment: BenchEnvironment): Promise<BenchResult[]> {
  await environment.startHost({ name: NAME });
  const results: BenchResult[] = [];
  for (const set of SETS) {
    const path = process.env[set.variable] || join(SHARED_DATA, set.beside);
    if (!existsSync(path)) {
      process.stderr.write(`skipped ${NAME} of ${set.name}: ${path} does not exist, set ${set.variable}\n`);
      continue;
    }
    results.push(...(await measure(environment, set, path)));
  }
  return results;
}

async function measure(
  environment: BenchEnvironment,
  set: ConversationSet,
  path: string,
): Promise<BenchResult[]> {
  const report = async (mode: string) => {
    const file = join(environment.directory, `${set.name}-${mode}.json`);
    const format = existsSync(join(path, "docs.jsonl")) ? "membus" : set.format;
    const args = ["eval", path, file, "--json", "--format", format, "--mode", mode, ...set.args];
    const [code] = await once(environment.startScript(PROGRAM, args), "exit");
    if (code !== 0) throw new Error(`membus eval of ${path} ended with code ${code}`);
    return JSON.parse(await readFile(file, "utf8")) as Report;
  };
  const [hybrid, text, vector] = [await report("hybrid"), await report("text"), await report("vector")];
  const overall = GOAL_METRICS.map((metric) =>
    row(
      `${set.name} ${metric.replace("recall", "R")}`,
      hybrid.metrics,
      [text.metrics, vector.metrics],
      metric,
    ),
  );
  const types = Object.entries(hybrid.by_type).map(([type, { queries, ...metrics }]) => {
    const parts = [text.by_type[type]!, vector.by_type[type]!];
    const title = `R@10 of ${queries} questions of this type`;
    return { ...row(`${set.name} ${type}`, metrics, parts, "recall@10"), title, goal: null, met: true };
  });
  return [...overall, ...types];
}

function row(id: string, hybrid: Metrics, parts: readonly Metrics[], metric: keyof Metrics): BenchResult {
  const [text, vector] = parts.map((part) => part[metric]) as [number, number];
  const best = Math.max(text, vector, Number.EPSILON);
  return benchResult(
    id,
    {
      ratio: hybrid[metric] / best,
      title: "recall by words and meaning, relative to the better of words and vectors",
      ours: percent(hybrid[metric]),
      raw: `${percent(text)} / ${percent(vector)}`,
    },
    ["at least", Math.round(1000 * (1 - TOLERANCE / Math.max(best, TOLERANCE))) / 1000],
  );
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}
