import { cp } from "node:fs/promises";
import { basename } from "node:path";
import type { KitPlugin } from "@membus/plugin-kit";
import { afterEach, describe, expect, it } from "vitest";
import type { ScopeFields } from "../../kit/test/kit-requests.js";
import { TestClock } from "../../kit/test/test-clock.js";
import { createLanceDbPlugin } from "../src/index.js";
import { openWithQuotas, outcomeOf, type QuotaSetup } from "./quotas-fixture.js";
import { StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
const plugins = new Set<KitPlugin>();

async function opened(setup: QuotaSetup, directory?: string) {
  const folder = directory ?? (await fixture.directory());
  const tier = await openWithQuotas(folder, setup);
  plugins.add(tier.plugin);
  return { ...tier, directory: folder };
}

afterEach(async () => {
  for (const plugin of plugins) await plugin.close();
  plugins.clear();
  await fixture.end();
});

type Opened = Awaited<ReturnType<typeof opened>>;

async function storeAt({ of }: Opened, count: number, place: (at: number) => ScopeFields = () => ({})) {
  const outcomes: string[] = [];
  for (let at = 0; at < count; at++) outcomes.push(outcomeOf(await of(place(at)).store([{ key: `k${at}` }])));
  return outcomes;
}

const FULL_AT_3 = (limit: string) => ["created", "created", "created", limit, limit];

describe("a quota of a durable tier", () => {
  it.each([
    ["entries", "agentEntries", {}, () => ({})],
    ["namespaces", "agentNamespaces", {}, (at: number) => ({ namespace: `n${at}` })],
    ["entries", "tenantEntries", { of: "tenant" }, (at: number) => ({ agent: `a${at}` })],
    ["namespaces", "tenantNamespaces", { of: "tenant" }, (at: number) => ({ agent: `a${at}` })],
    ["entries", "agentEntries", { tier: "semantic" }, (at: number) => ({ namespace: `n${at}` })],
    ["entries", "tenantEntries", { of: "tenant", tier: "semantic" }, (at: number) => ({ agent: `a${at}` })],
    [
      "namespaces",
      "tenantNamespaces",
      { of: "tenant", tier: "semantic" },
      (at: number) => ({ namespace: `n${at}` }),
    ],
  ] as const)(
    "of %s refuses a store beyond it: %s %j",
    async (unit, limit, {
      of = "agent",
      tier = "episodic",
    }: { of?: "agent" | "tenant"; tier?: "episodic" | "semantic" }, place) => {
      const full = await opened({ tier, quotas: { [of]: { [unit]: 3 } } });
      expect(await storeAt(full, 5, place)).toEqual(FULL_AT_3(limit));
      const others = full.of({ ...place(9), tenant: "other" });
      expect(outcomeOf(await others.store([{ key: "theirs" }]))).toBe("created");
      const { errors } = await full.of(place(4)).store([{ key: "k4" }]);
      expect(errors[0]!.error.detail).toEqual({ limit, max: 3 });
    },
  );

  it("of bytes counts contents and keys, and lets an entry be replaced by one that is not larger", async () => {
    const { of, plugin } = await opened({ quotas: { agent: { bytes: 65_536 } } });
    const { store } = of();
    const text = (length: number, letter: string) => letter.repeat(length);
    expect(outcomeOf(await store([{ key: "a", content: text(60_000, "a") }]))).toBe("created");
    expect(outcomeOf(await store([{ key: "b", content: text(6_000, "b") }]))).toBe("agentBytes");
    expect(outcomeOf(await store([{ key: { id: text(6_000, "b") }, content: 1 }]))).toBe("agentBytes");
    expect(outcomeOf(await store([{ key: "a", content: text(66_000, "b") }]))).toBe("agentBytes");
    expect(outcomeOf(await store([{ key: "a", content: text(60_000, "b") }]))).toBe("updated");
    expect(outcomeOf(await store([{ key: "a", content: text(1_000, "c") }]))).toBe("updated");
    expect(outcomeOf(await store([{ key: "b", content: text(6_000, "b") }]))).toBe("created");
    expect(plugin.stats()).toMatchObject({ quota_tenants: 1, quota_entries: 2, refused_by_quota: 3 });
    expect(Number(plugin.stats().quota_bytes)).toBeGreaterThan(7_000);
    expect(Number(plugin.stats().quota_bytes)).toBeLessThan(8_000);
  });

  it("by name replaces the general one", async () => {
    const quotas = { agent: { entries: 1 }, agents: { "acme.bob": { entries: 2 }, "acme.carol": {} } };
    const full = await opened({ quotas });
    expect(await storeAt(full, 2)).toEqual(["created", "agentEntries"]);
    expect(await storeAt(full, 3, () => ({ agent: "bob" }))).toEqual(["created", "created", "agentEntries"]);
    expect(await storeAt(full, 3, () => ({ agent: "carol" }))).toEqual(["created", "created", "created"]);
  });

  it("refuses the entries of a store that exceed it, and never accepts more from concurrent stores", async () => {
    const full = await opened({ quotas: { agent: { entries: 10 } } });
    const { store, retrieve } = full.of();
    const { receipts, errors } = await store(
      ["a", "b", "c"].map((key) => ({ key })).concat(Array.from({ length: 9 }, (_, n) => ({ key: `${n}` }))),
    );
    expect([receipts.length, errors.map(({ index }) => index)]).toEqual([10, [10, 11]]);
    await full.of().forget({ keys: [..."abc0123456789"] });
    const many = Array.from({ length: 40 }, (_, n) =>
      store([{ key: `many ${n}` }], { namespace: `n${n % 3}` }),
    );
    const outcomes = (await Promise.all(many)).map(outcomeOf);
    expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(10);
    expect((await retrieve({}, { namespace: "**" })).total).toBe(10);
    expect(full.plugin.stats().quota_entries).toBe(10);
  });

  it.each([
    [{ agent: { entries: 0 } }, "quotas.agent.entries must be an integer of 1..1000000000, got 0"],
    [{ tenant: { sessions: 1 } }, "quotas.tenant: unknown option `sessions`"],
  ])("that is invalid is refused: %j", (quotas, message) => {
    expect(() => createLanceDbPlugin({ quotas: quotas as never })).toThrow(message);
  });

  it("is counted only if one is configured", async () => {
    const { of, plugin } = await opened({ quotas: { tenants: { other: { entries: 1 } } } });
    expect(outcomeOf(await of().store([{ key: "a" }]))).toBe("created");
    expect(plugin.stats()).toMatchObject({ quota_tenants: 0 });
    const free = await opened({});
    expect(Object.keys(free.plugin.stats()).filter((name) => name.includes("quota"))).toEqual([]);
  });
});

describe("space below a quota", () => {
  it("is available immediately after a forget", async () => {
    const full = await opened({ quotas: { agent: { entries: 3 } } });
    expect(await storeAt(full, 4)).toEqual(["created", "created", "created", "agentEntries"]);
    const { forget, store } = full.of();
    await forget({ keys: ["k1"] });
    expect(outcomeOf(await store([{ key: "k3" }]))).toBe("created");
    expect(outcomeOf(await store([{ key: "k4" }]))).toBe("agentEntries");
    await forget({ keys: ["k2"] }, { cascade: true });
    expect(outcomeOf(await store([{ key: "k4" }]))).toBe("created");
    await full.plugin.eraseOwner({ tenant: "acme" });
    expect(full.plugin.stats()).toMatchObject({ quota_entries: 0, quota_bytes: 0, quota_namespaces: 0 });
    expect(await storeAt(full, 4)).toEqual(["created", "created", "created", "agentEntries"]);
  });

  it("is available immediately after an expiry, wherever the entry is", async () => {
    const clock = new TestClock();
    const full = await opened({ clock, quotas: { tenant: { entries: 3 } } });
    const { store } = full.of({ namespace: "x" });
    await store([
      { key: "a", ttl: 10 },
      { key: "b", ttl: 20 },
    ]);
    await full.of({ namespace: "y", agent: "bob" }).store([{ key: "c", ttl: 10 }]);
    expect(outcomeOf(await store([{ key: "d" }]))).toBe("tenantEntries");
    clock.advance(11);
    expect(outcomeOf(await store([{ key: "d" }, { key: "e" }, { key: "f" }]))).toBe("tenantEntries");
    expect(full.plugin.stats().quota_entries).toBe(3);
    clock.advance(11);
    await full.plugin.maintain();
    expect(full.plugin.stats().quota_entries).toBe(2);
    clock.advance(100);
    await full.plugin.maintain();
    expect(full.plugin.stats().quota_entries).toBe(2);
  });

  it("is the same after a restart, for entries in storage and entries only in the log", async () => {
    const clock = new TestClock();
    const setup = { clock, quotas: { agent: { entries: 5, namespaces: 3 } } };
    const first = await opened(setup);
    const { store, forget } = first.of();
    await store([{ key: "a" }, { key: "b" }, { key: "short", ttl: 10 }]);
    await store([{ key: "n" }], { namespace: "n" });
    await first.plugin.maintain();
    await store([{ key: "a", content: "again" }, { key: "c" }]);
    await forget({ keys: ["b"] });
    const { quota_bytes, quota_entries, quota_namespaces } = first.plugin.stats();
    expect([quota_entries, quota_namespaces]).toEqual([4, 2]);
    const killed = await fixture.directory();
    const filter = (path: string) => basename(path) !== "lock";
    await cp(first.directory, killed, { recursive: true, filter });
    for (const directory of [killed, first.directory]) {
      if (directory === first.directory) {
        await first.plugin.close();
        plugins.delete(first.plugin);
      }
      const again = await opened(setup, directory);
      expect(outcomeOf(await again.of().store([{ key: "c" }]))).toBe("unchanged");
      expect(again.plugin.stats()).toMatchObject({ quota_bytes, quota_entries, quota_namespaces });
      expect(outcomeOf(await again.of({ namespace: "m" }).store([{ key: "d" }]))).toBe("created");
      expect(outcomeOf(await again.of().store([{ key: "e" }]))).toBe("agentEntries");
    }
  });

  it("excludes entries that have expired when usage is counted first", async () => {
    const clock = new TestClock();
    const setup = { clock, quotas: { agent: { entries: 2 } } };
    const first = await opened(setup);
    await first.of().store([{ key: "a", ttl: 10 }, { key: "b" }]);
    await first.plugin.close();
    plugins.delete(first.plugin);
    clock.advance(11);
    const again = await opened(setup, first.directory);
    expect(await storeAt(again, 2, () => ({ namespace: "n" }))).toEqual(["created", "agentEntries"]);
    await again.plugin.maintain();
    expect(again.plugin.stats().quota_entries).toBe(2);
    expect((await again.of().retrieve()).total).toBe(1);
    expect(again.plugin.stats().quota_entries).toBe(2);
  });

  it("of the shared tier belongs to the agent that wrote an entry last", async () => {
    const full = await opened({ tier: "semantic", quotas: { agent: { entries: 2 } } });
    const [alice, bob] = [full.of({ agent: "alice" }), full.of({ agent: "bob" })];
    await alice.store([{ key: "a" }, { key: "b" }]);
    expect(outcomeOf(await alice.store([{ key: "c" }]))).toBe("agentEntries");
    expect(outcomeOf(await bob.store([{ key: "a", content: "bob's now" }]))).toBe("updated");
    expect(outcomeOf(await alice.store([{ key: "c" }]))).toBe("created");
    expect(outcomeOf(await alice.store([{ key: "a", content: "alice's again" }]))).toBe("agentEntries");
    expect(full.plugin.stats()).toMatchObject({ quota_entries: 3, quota_namespaces: 1 });
  });
});
