import { type AgentMemory, type EntryInput, MemoryClient } from "@membus/agent-client";
import { expect, it, onTestFinished } from "vitest";
import { Outbox } from "../src/index.js";
import { OutageStage } from "./outages/outage-stage.js";

const SEED = 20_261_127;
/** About as many as the delivery of some writes takes. */
const BYTES_MAX = 9_000;

async function openStage(): Promise<OutageStage> {
  const stage = await OutageStage.open({
    agent: "alice",
    namespace: "outages",
    seed: SEED,
    killEvery: 20,
    bytesMax: BYTES_MAX,
  });
  onTestFinished(() => stage.close());
  return stage;
}

/** Drains with two processes' worth of outboxes at the same time. Returns the number that left the outbox. */
async function drainOnce(
  stage: OutageStage,
  sender: (memory: AgentMemory) => AgentMemory = (memory) => memory,
): Promise<number> {
  const options = { servers: stage.url, agent: "alice", connectTimeoutMs: 500, closeTimeoutMs: 500 };
  const client = await MemoryClient.connect(options).catch(() => undefined);
  if (client === undefined) return 0;
  const drains = [1, 2].map(() => new Outbox(stage.folder).drain(sender(client), { timeoutMs: 300 }));
  const results = await Promise.all(drains);
  await client.close();
  return results[0]!.delivered + results[1]!.delivered;
}

/** Adds up to six writes. */
async function addWrites(stage: OutageStage, from: number): Promise<number> {
  const outbox = new Outbox(stage.folder);
  const until = from + 1 + stage.random(6);
  for (let n = from; n < until; n++) {
    const entry = { key: `write-${n}`, content: { text: textOf(n) }, tier: "episodic" } as const;
    await outbox.add({ namespace: "outages", entry });
  }
  return until;
}

function textOf(n: number): string {
  return `text ${String(n).padStart(5, "0")}`;
}

it(`loses and doubles no write in 200 outages, seed ${SEED}`, async () => {
  const stage = await openStage();
  const outbox = new Outbox(stage.folder);
  let written = 0;
  let interrupted = 0;
  for (let outage = 0; outage < 200; outage++) {
    written = await addWrites(stage, written);
    await stage.outage(async () => void (await drainOnce(stage)));
    if ((await outbox.state()).queued > 0) interrupted++;
  }
  await expect.poll(async () => (await drainOnce(stage)) + (await outbox.state()).queued).toBe(0);
  expect(await stage.texts()).toEqual(Array.from({ length: written }, (_, n) => textOf(n)));
  expect(stage.doubled).toBe(0);
  expect(await outbox.state()).toMatchObject({ queued: 0, refused: 0, foreign: [] });
  // The outages must hit deliveries, otherwise this test shows nothing.
  expect(interrupted).toBeGreaterThan(50);
});

/** A sender that repeats writes as new ones: without their id, and without a condition. */
function withoutIdentity(memory: AgentMemory): AgentMemory {
  let attempts = 0;
  const store = (entry: EntryInput & { readonly if_revision?: number | null }, options: object) => {
    const { if_revision: _, ...rest } = entry;
    const content = { ...(entry.content as object), attempt: attempts++ };
    return memory.inNamespace("outages").store({ ...rest, content }, { ...options, id: undefined });
  };
  return { inNamespace: () => ({ store }) } as unknown as AgentMemory;
}

it("counts the writes that a sender without ids doubles", async () => {
  const stage = await openStage();
  let written = 0;
  // How many outages hit an answer depends on the machine.
  for (let outage = 0; outage < 200 && stage.doubled === 0; outage++) {
    written = await addWrites(stage, written);
    await stage.outage(async () => void (await drainOnce(stage, withoutIdentity)));
  }
  expect(stage.doubled).toBeGreaterThan(0);
});
