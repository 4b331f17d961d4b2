import type { AgentMemory } from "@membus/agent-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { Wire } from "./wire-fixture.js";

const KEYS = ["a", "b", "c", "d", "e"];
const IN_FLIGHT = 64;
const STORES = 1_000;
const INCREMENTS = 200;

/** An acknowledged store, with the times of sending and reply from a counter shared by both clients. */
interface Acknowledged {
  readonly key: string;
  readonly content: number;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly revision: number;
}

/** Runs `task` for 0..count-1 with at most `width` calls in progress. */
async function inFlight(count: number, width: number, task: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

describe.each(["working", "episodic", "semantic"] as const)("two clients on one %s memory", (tier) => {
  let wire: Wire;
  let clients: AgentMemory[];

  beforeAll(async () => {
    wire = await Wire.start({ binary: NATS_SERVERS[0]! });
    clients = [await wire.client("alice"), await wire.client("alice")];
  });
  afterAll(() => wire?.close());

  it("receive strictly increasing revisions, and leave one entry per key", async () => {
    const acknowledged: Acknowledged[] = [];
    let time = 0;
    await inFlight(STORES, IN_FLIGHT, async (index) => {
      const key = KEYS[index % KEYS.length]!;
      const sentAt = time++;
      const { receipts } = await clients[index % 2]!.store({ key, content: index, tier });
      acknowledged.push({ key, content: index, sentAt, answeredAt: time++, revision: receipts[0]!.revision });
    });
    const { entries, total } = await clients[0]!.retrieve({ tier });
    expect(total).toBe(KEYS.length);
    for (const key of KEYS) {
      const stores = acknowledged.filter((store) => store.key === key);
      expectOrdered(stores);
      const last = stores.reduce((a, b) => (a.revision > b.revision ? a : b));
      const entry = entries.find((candidate) => candidate.key.name === key);
      expect(entry).toMatchObject({ content: last.content, revision: last.revision });
    }
  });

  it("lose no update with if_revision", async () => {
    await clients[0]!.forget({ tier, all: true });
    let succeeded = 0;
    let conflicts = 0;
    await inFlight(IN_FLIGHT, IN_FLIGHT, async (index) => {
      while (succeeded < INCREMENTS) {
        if (await increment(clients[index % 2]!, KEYS[index % KEYS.length]!)) succeeded++;
        else conflicts++;
      }
    });
    const { entries } = await clients[1]!.retrieve({ tier });
    const counted = entries.reduce((sum, { content }) => sum + (content as number), 0);
    expect(counted).toBe(succeeded);
    expect(conflicts).toBeGreaterThan(0);
  });

  /** Returns false if another client was faster. */
  async function increment(memory: AgentMemory, key: string): Promise<boolean> {
    const { entries } = await memory.retrieve({ keys: [key], tier });
    const { content = 0, revision = 0 } = entries[0] ?? {};
    const entry = { key, content: (content as number) + 1, tier, if_revision: revision };
    const { errors } = await memory.store(entry, { partial: true });
    if (errors.length === 0) return true;
    expect(errors[0]).toMatchObject({ code: "conflict" });
    return false;
  }
});

/** Expects unique revisions that are not below the revisions of stores acknowledged earlier. */
function expectOrdered(stores: readonly Acknowledged[]): void {
  expect(new Set(stores.map(({ revision }) => revision)).size).toBe(stores.length);
  const answered = [...stores].sort((a, b) => a.answeredAt - b.answeredAt);
  let seen = 0;
  let latest = 0;
  for (const store of [...stores].sort((a, b) => a.sentAt - b.sentAt)) {
    for (; answered[seen]!.answeredAt < store.sentAt; seen++)
      latest = Math.max(latest, answered[seen]!.revision);
    expect(store.revision).toBeGreaterThan(latest);
  }
}
