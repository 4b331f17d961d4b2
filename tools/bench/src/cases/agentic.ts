import { type EntryInput, MemoryClient } from "@membus/agent-client";
import { LongTermMemory, openConversation } from "@membus/agentic";
import { recordEntry } from "@membus/protocol/records";
import { sampleEntries } from "../harness/dataset.js";
import type { BenchEnvironment } from "../harness/environment.js";
import { pairs, runLoad } from "../harness/load.js";
import { timeRatio } from "../harness/load-ratio.js";
import type { BenchResult } from "../harness/result.js";

const NAME = "agentic";
const ROUNDS = 5;
const MESSAGES = 100;
const READS = 100;
const TEXTS = 100;
const RECORDS = 10;

/** Measures the agentic layer against equivalent requests without it. */
export async function benchAgentic(environment: BenchEnvironment): Promise<BenchResult[]> {
  await environment.startHost({ name: NAME });
  const client = await MemoryClient.connect({ servers: environment.url, agent: NAME, timeoutMs: 60_000 });
  const results = [await conversationGet(client), await recordTexts(client)];
  await client.close();
  return results;
}

async function conversationGet(client: MemoryClient): Promise<BenchResult> {
  const conversation = await openConversation(client, { id: "bench" });
  await conversation.add(sampleEntries(MESSAGES).map(({ content }) => ({ role: "user", content })));
  const raw = client.inNamespace("conversations");
  const measured = await pairs(
    ROUNDS,
    () => runLoad(READS, 1, async () => expectCount(await conversation.get(), MESSAGES)),
    () =>
      runLoad(READS, 1, async () => {
        const page = { group: "bench", tier: "episodic", order: "oldest", limit: MESSAGES } as const;
        expectCount((await raw.retrieve(page)).entries, MESSAGES);
      }),
  );
  const title = `get of a conversation with ${MESSAGES} messages, relative to a retrieve of its entries`;
  return timeRatio("conversation-get", measured, { title, goal: 3 });
}

async function recordTexts(client: MemoryClient): Promise<BenchResult> {
  const measured = await pairs(
    ROUNDS,
    (round) => {
      const memory = new LongTermMemory(client, { subject: `round-${round}` });
      return runLoad(RECORDS, 1, async (call) => {
        const { outcomes } = await memory.record(textsOf(round, call));
        expectCount(
          outcomes.filter(({ outcome }) => outcome === "new"),
          TEXTS,
        );
      });
    },
    (round) => {
      const raw = client.inNamespace(`raw-${round}`);
      return runLoad(RECORDS, 1, async (call) => {
        const { receipts } = await raw.store(textsOf(round, call).map(factEntry));
        expectCount(receipts, TEXTS);
      });
    },
  );
  const title = `record of ${TEXTS} texts without a model, relative to a store of their entries`;
  return timeRatio("record", measured, { title, goal: 2 });
}

function textsOf(round: number, call: number): string[] {
  return sampleEntries(TEXTS, round * RECORDS + call + 1).map(({ content }) => content);
}

function factEntry(text: string, index: number): EntryInput {
  const metadata = { about: "raw", trust: "user", valid_from: 1 } as const;
  const fact = `${index} ${text.slice(0, 64)}`;
  return { ...recordEntry({ kind: "fact", key: { fact }, content: { text }, metadata }), tier: "episodic" };
}

function expectCount(items: readonly unknown[], count: number): void {
  if (items.length !== count) throw new Error(`expected ${count}, got ${items.length}`);
}
