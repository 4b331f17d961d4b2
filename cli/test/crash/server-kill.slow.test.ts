import type { MemoryClient } from "@membus/agent-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChaosStage } from "./chaos-stage.js";
import { listEntries } from "./kill-loop/list-entries.js";
import { Incrementer, KeyWriter, progress } from "./steady-writers.js";

const SERVER_KILLS = 10;
const KEY_WRITERS_PER_CLIENT = 4;
const PATIENT = { timeoutMs: 2_000, retryTimeoutMs: 200_000 };

let stage: ChaosStage;
let alice: MemoryClient;
let bob: MemoryClient;

beforeAll(async () => {
  stage = await ChaosStage.open();
  await stage.startHost();
  alice = await stage.client({ agent: "alice", ...PATIENT });
  bob = await stage.client({ agent: "bob", ...PATIENT });
});
afterAll(() => stage.close());

/** Kills the server. With `hostToo`, the host is killed first, so that it has requests in flight. */
async function killAndRestart(hostToo: boolean): Promise<void> {
  if (hostToo) await stage.killHost();
  await stage.killServer();
  await stage.startServer();
  if (hostToo) await stage.startHost();
}

function keyWriters(memory: MemoryClient): KeyWriter[] {
  const names = Array.from({ length: KEY_WRITERS_PER_CLIENT }, (_, n) => `${memory.agent}-${n}`);
  return names.map((name) => new KeyWriter(memory, name, "episodic"));
}

/** Expects exactly the acknowledged keys with their acknowledged contents. */
async function expectKeys(memory: MemoryClient, writers: readonly KeyWriter[]): Promise<void> {
  const receipts = new Map(writers.flatMap((writer) => [...writer.receipts]));
  const entries = await listEntries(memory, "episodic");
  const found = entries.map(({ content, revision }) => [content, revision] as const);
  expect(new Map(found)).toEqual(
    new Map([...receipts].map(([key, { revision }]) => [key, revision] as const)),
  );
  // A retried store is applied once, so no outcome is "updated".
  expect(new Set([...receipts.values()].map(({ outcome }) => outcome))).toEqual(new Set(["created"]));
}

describe("a nats-server that is killed ten times under load, and the host five times", () => {
  it("loses and repeats no increment, and keeps every key once", async () => {
    const counters = [alice, bob].map((memory) => new Incrementer(memory, "counter", "semantic"));
    const [ofAlice, ofBob] = [keyWriters(alice), keyWriters(bob)];
    const writers = [...counters, ...ofAlice, ...ofBob];
    await progress(writers, 1);
    for (let n = 1; n <= SERVER_KILLS; n++) {
      await killAndRestart(n % 2 === 0);
      await progress(writers, 2);
    }
    await Promise.all(writers.map((writer) => writer.stop()));

    const increments = counters[0]!.acknowledged + counters[1]!.acknowledged;
    expect(await alice.recall("counter", 0, { tier: "semantic" })).toBe(increments);
    expect(increments).toBeGreaterThan(2 * SERVER_KILLS);
    await expectKeys(alice, ofAlice);
    await expectKeys(bob, ofBob);
  });
});
