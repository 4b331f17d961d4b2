import { MemoryClient } from "@membus/agent-client";
import type { BenchEnvironment } from "../harness/environment.js";
import { type BenchResult, benchResult } from "../harness/result.js";
import { chatModel } from "../remember/chat-model.js";
import { type Extraction, type ExtractionVariant, extractSessions } from "../remember/extraction.js";
import { SESSIONS, TOLD_FACTS } from "../remember/sessions.js";

const NAME = "thinking";

/** The forms of reasoning, each with tools that take lists or one item. */
const VARIANTS: readonly ExtractionVariant[] = (["none", "parameter", "tool"] as const).flatMap((thinking) =>
  [true, false].map((enableMultiple) => ({
    name: `${thinking}-${enableMultiple ? "list" : "one"}`,
    thinking,
    enableMultiple,
  })),
);

/**
 * Compares agents that write memories: without reasoning, with a parameter for it, with a tool for it, and with
 * MEMBUS_THINKING_MODEL also a model that reasons without either. Their tools take lists or one item. Skipped as
 * `remember` is.
 */
export async function benchThinking(environment: BenchEnvironment): Promise<BenchResult[]> {
  const model = chatModel();
  if (model === undefined) {
    note(`skipped ${NAME}: it needs MEMBUS_CHAT_URL and MEMBUS_CHAT_MODEL`);
    return [];
  }
  await environment.startHost({ name: NAME });
  const client = await MemoryClient.connect({ servers: environment.url, agent: NAME, timeoutMs: 60_000 });
  const results: BenchResult[] = [];
  try {
    for (const variant of VARIANTS)
      results.push(toResult(variant, await extractSessions(client, model, variant)));
    results.push(...(await reasoningModel(client)));
  } finally {
    await client.close();
  }
  return results;
}

/** Measures a model that reasons without a parameter or a tool for it. */
async function reasoningModel(client: MemoryClient): Promise<BenchResult[]> {
  const name = process.env.MEMBUS_THINKING_MODEL;
  const model = name ? chatModel(name) : undefined;
  if (model === undefined) {
    note(`skipped ${NAME} of a reasoning model: it needs MEMBUS_THINKING_MODEL`);
    return [];
  }
  const results: BenchResult[] = [];
  for (const plain of VARIANTS.filter(({ thinking }) => thinking === "none")) {
    const variant = { ...plain, name: plain.name.replace("none", "model") };
    results.push(toResult(variant, await extractSessions(client, model, variant)));
  }
  return results;
}

function toResult({ name }: ExtractionVariant, extraction: Extraction): BenchResult {
  const { found, stored, done, calls, tokens, tookMs } = extraction;
  const all = TOLD_FACTS.length;
  const seconds = Math.round(tookMs / 1_000);
  note(`${name}: ${done} of ${SESSIONS.length} sessions, ${stored} memories, ${tokens} tokens, ${seconds} s`);
  const title = `facts of three sessions that agents extract, ${name}: ${tokens} tokens, ${seconds} s`;
  const ours = `${found} facts, ${calls} calls`;
  return benchResult(`think-${name}`, { ratio: found / all, title, ours, raw: `${all} facts` });
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
