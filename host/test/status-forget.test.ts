import { MemoryError } from "@membus/protocol";
import type { PluginErasureResult } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { BlockingPlugin } from "./blocking-plugin.js";
import { contents, HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

const plugins = () => ({ working: new MapPlugin(), episodic: new MapPlugin(), semantic: new MapPlugin() });
const entries = ["working", "episodic", "semantic"].map((tier) => ({
  key: "k",
  content: tier,
  tier,
  tags: ["t"],
}));

describe("the status of a forget", () => {
  const reporting = (result: PluginErasureResult | undefined) =>
    Object.assign(new MapPlugin({ erasure: true }), { onErasure: async () => result });
  const requested = { request_id: "f", kind: "forget" };

  it("is the status of the slowest tier, without a time if one tier reports none", async () => {
    const done = (purged_at: number) => reporting({ purge: "done", purged_at });
    const due = reporting({ purge: "scheduled", purge_by: 9 });
    const cases = [
      [
        { working: done(1), episodic: done(3) },
        { done: true, purge: "done", purged_at: 3 },
      ],
      [
        { working: done(1), episodic: due },
        { done: false, purge: "scheduled", purge_by: 9 },
      ],
      [
        { working: reporting({ purge: "scheduled" }), episodic: due },
        { done: false, purge: "scheduled" },
      ],
      [
        { working: reporting({ purge: "scheduled", purge_reason: "replica_down" }), episodic: due },
        { done: false, purge: "scheduled", purge_reason: "replica_down" },
      ],
      [{ working: reporting({ purge: "scheduled", purge_reason: "Not a word" }) }, { code: "runtime_error" }],
      [{ working: reporting(undefined), episodic: new MapPlugin() }, { code: "memory_not_found" }],
      [{ working: new MapPlugin() }, { code: "unsupported", detail: { feature: "erasure" } }],
    ] as const;
    for (const [tiers, expected] of cases) {
      const fixture = await HostFixture.start({ plugins: tiers });
      expect(await fixture.ask("memory/status/req", requested)).toMatchObject(expected);
    }
  });
});

describe("forget", () => {
  it("adds up the counts of the tiers", async () => {
    const fixture = await HostFixture.start({ plugins: plugins() });
    await fixture.store(entries);
    const dry = await fixture.forget({ tags: ["t"], dry_run: true });
    expect(dry).toMatchObject({ deleted: 3, receipt: { by_tier: { working: 1, episodic: 1, semantic: 1 } } });
    const reply = await fixture.forget({ tags: ["t"], tier: "episodic" });
    expect(reply).toMatchObject({ type: "memory/forget/resp", deleted: 1 });
    expect(reply.receipt).toMatchObject({ at: 1_800_000_000, by_tier: { episodic: 1 }, purge: "done" });
    expect(contents(await fixture.retrieve())).toEqual(["working", "semantic"]);
    expect(await fixture.forget({ tags: ["none"] })).toMatchObject({ deleted: 0 });
  });

  it("reports a scheduled purge if one tier's purge is scheduled", async () => {
    const tiers = plugins();
    tiers.episodic.onForget = async () => ({ deleted: 2, purge: "scheduled" as never });
    const fixture = await HostFixture.start({ plugins: tiers });
    expect(await fixture.forget({ all: true })).toMatchObject({
      deleted: 2,
      receipt: { purge: "scheduled" },
    });
  });

  it("fails if a tier fails, and a retry completes it", async () => {
    const tiers = plugins();
    const honest = tiers.semantic.onForget.bind(tiers.semantic);
    tiers.semantic.onForget = async () => Promise.reject(new MemoryError("unavailable", "down"));
    const fixture = await HostFixture.start({ plugins: tiers });
    await fixture.store(entries);
    expect(await fixture.forget({ id: "f", all: true })).toMatchObject({
      code: "unavailable",
      retryable: true,
    });
    tiers.semantic.onForget = honest;
    expect((await fixture.forget({ id: "f", all: true })).type).toBe("memory/forget/resp");
    expect((await fixture.retrieve()).total).toBe(0);
  });

  it("of a subtree is refused without effect if one tier does not support it", async () => {
    const tiers = { ...plugins(), semantic: new MapPlugin({ subtree: false }) };
    const fixture = await HostFixture.start({ plugins: tiers });
    await fixture.store(entries, { namespace: "a" });
    const refused = { code: "unsupported", detail: { tier: "semantic", feature: "subtree" } };
    expect(await fixture.forget({ namespace: "a/**", all: true })).toMatchObject(refused);
    expect((await fixture.retrieve({ namespace: "a" })).total).toBe(3);
    expect(await fixture.forget({ namespace: "a/**", tier: "working" })).toMatchObject({ deleted: 1 });
  });

  it("with cascade adds up the counts by level, and queries only tiers that support it", async () => {
    const counting = (deleted: number, cascaded: number[]) => {
      const plugin = new MapPlugin({ cascade: true });
      plugin.onForget = async (_selector, { cascade }) => ({
        ...{ deleted, purge: "done" as const },
        ...(cascade && { cascaded }),
      });
      return plugin;
    };
    const tiers = { working: counting(9, [2, 3, 1]), episodic: counting(4, [3]) };
    const fixture = await HostFixture.start({ plugins: tiers });
    const reply = await fixture.forget({ tags: ["x"], cascade: true });
    const receipt = { by_tier: { working: 9, episodic: 4 }, cascaded: [5, 3, 1] };
    expect(reply).toMatchObject({ deleted: 13, receipt });
    const plain = await fixture.forget({ tags: ["x"] });
    expect((plain.receipt as object | undefined) ?? {}).not.toHaveProperty("cascaded");
    const other = await HostFixture.start({ plugins: { ...tiers, semantic: new MapPlugin() } });
    const unsupported = { code: "unsupported", detail: { tier: "semantic", feature: "cascade" } };
    expect(await other.forget({ tags: ["x"], cascade: true })).toMatchObject(unsupported);
  });

  it("requires `all` to clear a shared scope", async () => {
    const fixture = await HostFixture.start({ plugins: plugins() });
    const refused = { code: "schema_violation", detail: { path: "all" } };
    expect(await fixture.forget({})).toMatchObject(refused);
    expect(await fixture.forget({ tier: "semantic" })).toMatchObject(refused);
    expect(await fixture.forget({ tier: "working" })).toMatchObject({ deleted: 0 });
  });
});

describe("status", () => {
  it("returns the receipts of all tiers in order", async () => {
    const fixture = await HostFixture.start({ plugins: plugins() });
    const { receipts } = await fixture.store([...entries].reverse(), { id: "r" });
    const reply = await fixture.ask("memory/status/req", { request_id: "r" });
    expect(reply).toMatchObject({
      type: "memory/status/resp",
      kind: "store",
      request_id: "r",
      done: true,
      errors: [],
    });
    expect(reply.receipts).toEqual(receipts);
  });

  it("of a running store is not done", async () => {
    const plugin = new BlockingPlugin();
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    const requests = fixture.store([{ key: "a", content: 1 }], { id: "r" });
    await plugin.untilBlocked(1);
    const reply = await fixture.ask("memory/status/req", { request_id: "r" });
    expect(reply).toMatchObject({ done: false, receipts: [], errors: [] });
    plugin.release();
    await requests;
    expect(await fixture.ask("memory/status/req", { request_id: "r" })).toMatchObject({ done: true });
  });

  it("is memory_not_found for an unknown request, and unsupported for another kind", async () => {
    const fixture = await HostFixture.start();
    expect(await fixture.ask("memory/status/req", { request_id: "r" })).toMatchObject({
      code: "memory_not_found",
    });
    const other = await fixture.ask("memory/status/req", { request_id: "r", kind: "export" });
    expect(other).toMatchObject({ code: "unsupported", detail: { path: "kind" } });
  });
});

describe("ping", () => {
  it("names the host and its tiers", async () => {
    const fixture = await HostFixture.start({
      plugins: { semantic: new MapPlugin(), working: new MapPlugin() },
    });
    const pong = await fixture.ask("ping");
    expect(pong).toMatchObject({ type: "pong", host_id: fixture.host.id, tiers: ["working", "semantic"] });
  });
});
