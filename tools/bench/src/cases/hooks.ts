import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { sampleEntries, sampleQueries } from "../harness/dataset.js";
import { type BenchEnvironment, PROGRAM } from "../harness/environment.js";
import { storeEpisodic, untilEmbedded } from "../harness/fill.js";
import { milliseconds, pairs, quantile, runLoad } from "../harness/load.js";
import { timeRatio } from "../harness/load-ratio.js";
import type { BenchResult } from "../harness/result.js";

const COUNT = 10_000;
const ROUNDS = 5;
const PROMPTS = 40;
const AGENT = "coding-agent";

/**
 * Measures a prompt hook of a coding agent over 10,000 memories, against a Node process that does nothing. Times are from
 * the start of the process to its end.
 */
export async function benchHooks(environment: BenchEnvironment): Promise<BenchResult[]> {
  const host = await environment.startHost({ name: "hooks" });
  const client = await openProject(environment);
  const entries = sampleEntries(COUNT);
  for (let at = 0; at < COUNT; at += 1_000) await storeEpisodic(client, entries.slice(at, at + 1_000));
  await untilEmbedded(client);
  const queries = sampleQueries(PROMPTS);
  const times: number[] = [];
  const timedPrompt = async (index: number) => {
    const startedAt = milliseconds();
    const answer = await prompt(environment, queries[index]!);
    times.push(milliseconds() - startedAt);
    if (!answer.includes("recalled-memories")) throw new Error(`recalled nothing: ${answer}`);
  };
  const results = await pairs(
    ROUNDS,
    () => runLoad(PROMPTS, 1, timedPrompt),
    () => runLoad(PROMPTS, 1, () => ended(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }))),
  );
  await client.close();
  await environment.end(host);
  times.sort((a, b) => a - b);
  process.stderr.write(`prompt hook p95: ${quantile(times, 0.95).toFixed(0)} ms\n`);
  const title = "prompt hook over 10,000 memories with its process, relative to a process that does nothing";
  return [timeRatio("prompt-hook", results, { title })];
}

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
  const env = { ...process.env, NATS_URL: url };
  const child = spawn(PROGRAM, ["hook", "codex", ...flags], { env, stdio: ["pipe", "pipe", "inherit"] });
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
