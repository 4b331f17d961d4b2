import { MemoryClient } from "@membus/agent-client";
import type { BenchEnvironment } from "../harness/environment.js";
import { type BenchResult, benchResult } from "../harness/result.js";
import { chatModel } from "../remember/chat-model.js";
import { TOLD_FACTS } from "../remember/sessions.js";
import { runTrial, type TrialResult } from "../remember/trial.js";

const NAME = "remember";

/**
 * Gives a model 12 facts in three sessions and asks about them in a new session. It needs a server with an
 * OpenAI-compatible API in MEMBUS_CHAT_URL and the name of its model in MEMBUS_CHAT_MODEL. MEMBUS_CHAT_KEY is
 * its key. Without them it is skipped.
 */
export async function benchRemember(environment: BenchEnvironment): Promise<BenchResult[]> {
  const model = chatModel();
  if (model === undefined) {
    note(`skipped ${NAME}: it needs MEMBUS_CHAT_URL and MEMBUS_CHAT_MODEL`);
    return [];
  }
  await environment.startHost({ name: NAME });
  const client = await MemoryClient.connect({ servers: environment.url, agent: NAME, timeoutMs: 60_000 });
  try {
    return toResults(await runTrial(client, model, note));
  } finally {
    await client.close();
  }
}

function toResults({ calls, recalled, answered }: TrialResult): BenchResult[] {
  const all = TOLD_FACTS.length;
  const share = (id: string, title: string, count: number, goal: number) =>
    benchResult(id, { ratio: count / all, title, ours: `${count} facts`, raw: `${all} facts` }, [
      "at least",
      goal / all,
    ]);
  const most = Math.max(...calls);
  return [
    share("told-recalled", "facts of three sessions that a new session recalls, of those told", recalled, 12),
    share("told-answered", "questions about these facts that the model answers", answered, 10),
    benchResult(
      "learn-calls",
      { ratio: most, title: "most model calls to learn a session", ours: `${most} calls`, raw: "1 session" },
      ["at most", 2],
    ),
  ];
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
