import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { sampleEntries, sampleQueries } from "../harness/dataset.js";
import { type BenchEnvironment, PROGRAM } from "../harness/environment.js";
import { storeEpisodic, untilEmbedded } from "../harness/fill.js";
import { milliseconds, pairs, quantile, runLoad } from "../harness/load.js";
import { timeRatio } from "../harness/load-ratio.js";
import { type BenchResult, benchResult } from "../harness/result.js";

const COUNT = 10_000;
const ROUNDS = 5;
const PROMPTS = 40;
const AGENT = "coding-agent";

/** Node 20 parses the certificates in NODE_EXTRA_CA_CERTS at each start, also of a process that does nothing. */
const { NODE_EXTRA_CA_CERTS: _, ...ENV } = process.env;

/**
 * Measures a prompt hook of a coding agent over 10,000 memories, against a Node process that does nothing. Times are from
 * the start of the process to its end. The host has answered prompts before, as in a session.
 */
export async function benchHooks(environment: BenchEnvironment): Promise<BenchResult[]> {
  const host = await environment.startHost({ name: "hooks" });
  const client = await openProject(environment);
  const entries = sampleEntries(COUNT);
  for (let at = 0; at < COUNT; at += 1_000) await storeEpisodic(client, entries.slice(at, at + 1_000));
  await untilEmbedded(client);
  const { total } = await client.retrieve({ tier: "episodic", limit: 0 });
  if (total !== COUNT + 1) throw new Error(`expected ${COUNT + 1} memories, got ${total}`);
  const queries = sampleQueries(PROMPTS);
  const recall = async (index: number) => {
    const answer = await prompt(environment, queries[index]!);
    if (!answer.includes("recalled-memories")) throw new Error(`recalled nothing: ${answer}`);
  };
  const nothing = () => ended(spawn(process.execPath, ["-e", "0"], { env: ENV, stdio: "ignore" }));
  await runLoad(PROMPTS, 1, recall);
  const hookTimes: number[] = [];
  const emptyTimes: number[] = [];
  const results = await pairs(
    ROUNDS,
    () => runLoad(PROMPTS, 1, timed(recall, hookTimes)),
    () => runLoad(PROMPTS, 1, timed(nothing, emptyTimes)),
  );
  await client.close();
  await environment.end(host);
  const title = "prompt hook over 10,000 memories with its process, relative to a process that does nothing";
  return [timeRatio("prompt-hook", results, { title }), tail(hookTimes, emptyTimes)];
}

/** Returns `operation` with the milliseconds of each call added to `times`. */
function timed(operation: (index: number) => Promise<void>, times: number[]) {
  return async (index: number) => {
    const startedAt = milliseconds();
    await operation(index);
    times.push(milliseconds() - startedAt);
  };
}

/** Returns the 95th percentiles over all rounds. */
function tail(hookTimes: readonly number[], emptyTimes: readonly number[]): BenchResult {
  const p95 = (times: readonly number[]) => quantile(times.toSorted(byValue), 0.95);
  const [ours, raw] = [p95(hookTimes), p95(emptyTimes)];
  const texts = { ours: `${ours.toFixed(2)} ms`, raw: `${raw.toFixed(2)} ms` };
  return benchResult("prompt-hook-p95", { ratio: ours / raw, title: "the same, 95th percentiles", ...texts });
}

const byValue = (one: number, other: number) => one - other;

let sessions = 0;

/** Returns the memory of the project of the hooks, which the first statement creates. */
async function openProject(environment: BenchEnvironment): Promise<MemoryClient> {
  await prompt(environment, "Always use pnpm in this repository.");
  const client = await MemoryClient.connect({ servers: environment.url, agent: AGENT, timeoutMs: 60_000 });
  const { items } = await client.list({ namespace: "about/**" });
  await client.close();
  const namespace = String(items[0]!.value);
  return MemoryClient.connect({ servers: environment.url, agent: AGENT, namespace, timeoutMs: 60_000 });
}

/** Runs the hook of the first prompt of a session, and returns its answer. */
async function prompt({ url, directory }: BenchEnvironment, text: string): Promise<string> {
  const payload = {
    ...{ session_id: `session-${sessions++}`, transcript_path: null, cwd: directory },
    ...{ hook_event_name: "UserPromptSubmit", prompt: text },
  };
  const flags = ["--state", join(directory, "state"), "--min-score", "0"];
  const env = { ...ENV, NATS_URL: url, XDG_STATE_HOME: join(directory, "user") };
  // As `membus install` writes it. The first line of the program has flags for hosts.
  const args = [PROGRAM, "hook", "codex", ...flags];
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(payload));
  let answer = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    answer += chunk;
  });
  await ended(child);
  return answer;
}

async function ended(child: ReturnType<typeof spawn>): Promise<void> {
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`ended with ${code}`);
}
