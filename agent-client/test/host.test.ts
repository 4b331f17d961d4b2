import { createLocalBus } from "@membus/bus";
import { createHost } from "@membus/host";
import { createLruPlugin } from "@membus/plugin-lru";
import { type MemoryEvent, systemClock } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { MemoryClient } from "../src/index.js";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Connects Alice's client to a host in this process with all tiers in memory. */
async function inProcess(): Promise<MemoryClient> {
  const services = { clock: systemClock, logger: new RecordingLogger() };
  const bus = createLocalBus({}, services);
  cleanups.push(() => bus.close());
  const plugins = { working: createLruPlugin(), episodic: createLruPlugin(), semantic: createLruPlugin() };
  const host = createHost({ bus, plugins, ...services }, { discoveryWaitMs: 10 });
  await host.start();
  cleanups.push(() => host.stop());
  const client = await MemoryClient.connect({ bus, agent: "alice" });
  cleanups.push(() => client.close());
  return client;
}

describe("with a host in process", () => {
  it("runs the example of A2E", async () => {
    const memory = await inProcess();
    const { stored } = await memory.store([
      { key: { id: "fact1" }, content: { text: "Earth orbits the Sun" }, tier: "semantic" },
      { key: { id: "task1" }, content: { step: 3 }, tier: "working", tags: ["temp"] },
    ]);
    expect(stored).toEqual([{ id: "fact1" }, { id: "task1" }]);
    const { entries, total } = await memory.retrieve({ query: "sun orbit", tier: "semantic", limit: 5 });
    expect(entries.map(({ content }) => content)).toEqual([{ text: "Earth orbits the Sun" }]);
    expect(total).toBe(1);
    expect((await memory.forget({ tags: ["temp"], tier: "working" })).deleted).toBe(1);
    await memory.remember("user_name", "Alice", { tier: "working", tags: ["identity"] });
    expect(await memory.recall("user_name")).toBe("Alice");
    expect(await memory.recall("nobody")).toBe(null);
  });

  it("forgets derived entries with cascade", async () => {
    const memory = await inProcess();
    const { receipts } = await memory.store({ key: "message", content: "I moved to Rome", tier: "episodic" });
    const sources = [receipts[0]!.key_hash];
    await memory
      .inNamespace("facts")
      .store({ key: "fact", content: "lives in Rome", tier: "episodic", sources });
    const [fact] = (await memory.retrieve({ namespace: "facts", tier: "episodic" })).entries;
    expect(fact?.sources).toEqual(sources);
    const { deleted, receipt } = await memory.forget({ keys: ["message"], tier: "episodic", cascade: true });
    expect([deleted, receipt.cascaded]).toEqual([2, [1]]);
    expect((await memory.retrieve({ namespace: "facts" })).total).toBe(0);
  });

  it("reads, changes and stores an entry again, idempotently", async () => {
    const memory = await inProcess();
    const given = { importance: 0.5, metadata: { lang: "en" }, group: "g", occurred_at: 1_000 };
    await memory.store({ key: "a", content: "one", tier: "episodic", ...given });
    const [before] = (await memory.retrieve({ keys: ["a"] })).entries;
    const first = await memory.store({ ...before!, content: "two" }, { id: "again" });
    const second = await memory.store({ ...before!, content: "two" }, { id: "again" });
    expect(second).toEqual(first);
    const [after] = (await memory.retrieve({ keys: ["a"] })).entries;
    expect(after).toMatchObject({ ...given, content: "two", seq: before!.seq });
    const stale = { key: "a", content: 3, tier: "episodic", if_revision: before!.revision } as const;
    await expect(memory.store(stale)).rejects.toMatchObject({ code: "conflict" });
  });

  it("lists page by page, in one namespace or a subtree", async () => {
    const memory = await inProcess();
    const entries = Array.from({ length: 250 }, (_, n) => ({ key: { n }, content: n }));
    await memory.inNamespace("a/b").store(entries);
    const listed: unknown[] = [];
    const request = { namespace: "a/**", order: "oldest" } as const;
    for await (const { content } of memory.entries(request)) listed.push(content);
    expect(listed).toEqual([...Array(250).keys()]);
    expect((await memory.retrieve({ limit: 0 })).total).toBe(0);
  });
});

describe("agents of one host", () => {
  it("share only the semantic tier", async () => {
    const alice = await inProcess();
    const bob = alice.forAgent("bob");
    for (const tier of ["working", "episodic", "semantic"] as const) await alice.remember(tier, 1, { tier });
    const seen = await Promise.all(["working", "episodic", "semantic"].map((key) => bob.recall(key)));
    expect(seen).toEqual([null, null, 1]);
    expect(await alice.forSession("other").recall("working")).toBe(null);
  });

  it("receive events of the shared tier, and can query only their own requests", async () => {
    const alice = await inProcess();
    const bob = alice.forAgent("bob");
    const events: MemoryEvent[] = [];
    const watch = await alice.watch({}, (event) => void events.push(event));
    await bob.remember("mine", 1, { tier: "episodic" });
    const { requestIds } = await bob.store({ key: "ours", content: 1, tier: "semantic" });
    const forgotten = await bob.forget({ keys: ["ours"] });
    await watch.stop();
    expect(events.map(({ action, tier, author }) => [action, tier, author])).toEqual([
      ["stored", "semantic", "bob"],
      ["forgotten", "semantic", "bob"],
    ]);
    expect(await bob.status(requestIds[0]!)).toMatchObject({ done: true });
    await rejection(alice.status(requestIds[0]!), "memory_not_found");
    expect(await bob.forgetStatus(forgotten.requestId)).toEqual({
      ...{ purge: "done", purged_at: forgotten.receipt.at },
    });
    await rejection(alice.forgetStatus(forgotten.requestId), "memory_not_found");
  });

  it("receive the id of their host", async () => {
    const client = await inProcess();
    expect((await client.ping()).tiers).toEqual(["working", "episodic", "semantic"]);
  });
});
