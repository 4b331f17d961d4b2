import type { CallOptions, ForgetResult, MemoryClient } from "@membus/agent-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ChaosStage } from "../../../cli/test/crash/chaos-stage.js";
import {
  ContextWindow,
  KnowledgeGraph,
  LongTermMemory,
  messageSources,
  openaiChatModel,
  openConversation,
} from "../../src/index.js";
import { ScriptedOpenAi } from "../scripted-openai/index.js";
import { NUMBERS, SUMMARY, tokenCounter } from "../window-fixture.js";

/** Set MEMBUS_CRASH_ROUNDS=50 for a longer run. */
const ROUNDS = Number(process.env.MEMBUS_CRASH_ROUNDS ?? 8);
/** The host kills itself at one of the first file changes after a forget begins. */
const FILE_CHANGES = 8;
const FACTS = 30;

let stage: ChaosStage;
let server: ScriptedOpenAi;

beforeAll(async () => {
  stage = await ChaosStage.open();
  await stage.startArmedHost(1);
  server = await ScriptedOpenAi.start(() => SUMMARY);
});

afterAll(async () => {
  await server.stop();
  await stage.close();
});

/**
 * Adds a conversation with a summary and an offloaded text. @returns the sources of facts derived from it.
 */
async function chat(memory: MemoryClient, id: string): Promise<string[]> {
  const conversation = await openConversation(memory, { id });
  const { ids } = await conversation.add([
    { role: "assistant", content: "", tool_calls: [{ id: "1", name: "read", arguments: "{}" }] },
    { role: "tool", tool_call_id: "1", content: `${id} `.repeat(5_000) },
    ...NUMBERS,
  ]);
  const model = openaiChatModel({ model: "scripted", baseUrl: server.baseUrl });
  const options = { thresholdTokens: 400, graceRounds: 1, summaryTokensMax: 100, offloadTokensMin: 50 };
  await new ContextWindow(conversation, options, { model, tokenCounter }).messages();
  return messageSources(id, ids);
}

/**
 * Adds everything that derives from a conversation, and a fact and a triple that another conversation also
 * has.
 */
async function leave(memory: MemoryClient, id: string): Promise<void> {
  const sources = await chat(memory, id);
  const kept = messageSources(`kept ${id}`, ["m"]);
  await (await openConversation(memory, { id: `kept ${id}` })).add({
    id: "m",
    message: { role: "user", content: "kept" },
  });
  const longTerm = new LongTermMemory(memory, { subject: id });
  const graph = new KnowledgeGraph(memory, { namespace: `graph/${id}` });
  await longTerm.record(
    Array.from({ length: FACTS }, (_, n) => `fact ${n}`),
    { sources },
  );
  await longTerm.recordExperiences("look twice", { sources });
  const triples = Array.from({ length: FACTS }, (_, n) => ({
    subject: "Ada",
    predicate: "knows",
    object: `B${n}`,
  }));
  await graph.add(triples.map((triple) => ({ ...triple, sources })));
  await longTerm.record("fact 0", { sources: kept });
  await graph.add({ ...triples[0]!, sources: kept });
}

/** Counts the remaining entries of each kind. */
async function leftOf(memory: MemoryClient, id: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const criteria of [
    { namespace: "conversations", group: id },
    { namespace: `about/${id}` },
    { namespace: `graph/${id}` },
  ]) {
    for await (const { metadata } of memory.entries({ ...criteria, tier: "episodic" })) {
      const kind = String(metadata!.kind);
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
  }
  return counts;
}

function forget(memory: MemoryClient, id: string, options: CallOptions = {}): Promise<ForgetResult> {
  const where = { field: "metadata.kind", op: "eq" as const, value: "message" };
  const criteria = { namespace: "conversations", group: id, where, tier: "episodic", cascade: true } as const;
  return memory.forget(criteria, options);
}

it("a forgotten conversation takes all derived entries with it, or none if the host is killed", async () => {
  const memory = await stage.client({ agent: "alice", retryTimeoutMs: 60_000 });
  for (let round = 0; round < ROUNDS; round++) {
    const id = `chat${round}`;
    await leave(memory, id);
    const before = await leftOf(memory, id);
    expect(before).toMatchObject({ message: 22, summary: 1, fact: FACTS, experience: 1, triple: FACTS });
    expect(before.offload).toBeGreaterThan(1);
    const end = new AbortController();
    void stage.hostEnd().then(() => end.abort());
    await stage.armHost();
    const [first] = await Promise.allSettled([forget(memory, id, { signal: end.signal })]);
    await stage.killHost();
    await stage.startArmedHost(1 + ((round + 1) % FILE_CHANGES));
    const after = await leftOf(memory, id);
    const what = `round ${round}, forget ${first.status}`;
    const rest = { fact: 1, triple: 1 };
    const isDeleted = after.message === undefined;
    expect(after, what).toEqual(isDeleted ? rest : before);
    if (first.status === "fulfilled") expect(isDeleted, what).toBe(true);
    if (!isDeleted) {
      const { receipt } = await forget(memory, id);
      const derived = 1 + before.offload! + (FACTS - 1) + 1 + (FACTS - 1);
      expect(receipt, what).toMatchObject({ by_tier: { episodic: 22 + derived }, cascaded: [derived] });
    }
    expect(await leftOf(memory, id), what).toEqual(rest);
  }
});
