import { describe, expect, it } from "vitest";
import { Metrics } from "../src/metrics.js";
import { BlockingPlugin } from "./blocking-plugin.js";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

describe("Metrics", () => {
  it("count outcomes and sort latencies into buckets", () => {
    const metrics = new Metrics();
    metrics.request("ping", "ok", 0.25);
    metrics.request("ping", "ok", 0.26);
    metrics.request("ping", "timeout", 9_999);
    const { requests } = metrics.snapshot();
    expect(requests.ping).toMatchObject({ count: 3, outcomes: { ok: 2, timeout: 1 } });
    expect(requests.ping!.latency.counts).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    expect(requests.ping!.latency.sumMs).toBeCloseTo(9_999.51);
  });
});

describe("an audit record", () => {
  it("contains the caller, request type and result, but no contents", async () => {
    const plugin = new BlockingPlugin();
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    const entry = { key: "secret-key", content: "secret-content", tags: ["secret-tag"] };
    const requests = fixture.store([entry, { key: "b" }], { id: "r" });
    await plugin.untilBlocked(1);
    await fixture.clock.advance(1_500);
    plugin.release();
    await requests;
    expect(fixture.audit).toEqual([
      {
        ts: 1_800_000_000,
        tenant: "default",
        agent: "alice",
        type: "memory/store/req",
        id: "r",
        code: "ok",
        tiers: ["working"],
        namespace: "default",
        keys: [expect.stringMatching(/^[0-9a-f]{32}$/)],
        key_count: 1,
        counts: { stored: 1, errors: 1 },
        took_ms: 1_500,
        request_bytes: expect.any(Number),
        reply_bytes: expect.any(Number),
      },
    ]);
    expect(JSON.stringify([fixture.audit, fixture.logger.lines])).not.toContain("secret");
  });

  it("names the error of a failed request, even of an unreadable one", async () => {
    const fixture = await HostFixture.start();
    await fixture.retrieve({ query: "secret", cursor: "x", id: "r" });
    await fixture.sendBytes("a2e.default.alice.memory.store.req", Buffer.from("{secret"));
    await fixture.sendBytes("a2e.default.=.memory.store.req", Buffer.from("{}"));
    const forget = await fixture.forget({ tags: ["x"], id: "f" });
    expect(forget).toMatchObject({ deleted: 0 });
    expect(fixture.audit).toMatchObject([
      { type: "memory/retrieve/req", id: "r", code: "schema_violation", counts: undefined },
      { type: "memory/store/req", agent: "alice", id: null, code: "parse_error" },
      { type: "unknown", agent: undefined, id: null, code: "invalid_message" },
      { type: "memory/forget/req", id: "f", code: "ok", counts: { deleted: 0 } },
    ]);
    expect(JSON.stringify(fixture.audit)).not.toContain("secret");
  });

  it("does not affect the reply if it cannot be written", async () => {
    const audit = {
      info: () => {
        throw new Error("disk full");
      },
    };
    const fixture = await HostFixture.start({ dependencies: { audit } });
    expect((await fixture.ask("ping")).type).toBe("pong");
    expect(fixture.logger.messages("error")).toEqual(["failed to record an answered request"]);
  });
});

describe("stats", () => {
  it("contain requests, tiers and the plugins' statistics", async () => {
    const fixture = await HostFixture.start({ plugins: { semantic: new MapPlugin() } });
    await fixture.store([{ key: "a", content: 1, tier: "semantic" }]);
    await fixture.retrieve({ tier: "working" });
    expect(fixture.host.stats()).toMatchObject({
      id: fixture.host.id,
      state: "serving",
      inFlight: { count: 0, bytes: 0, mutationCount: 0 },
      tiers: { semantic: { plugin: "map", calls_running: 0, calls_waiting: 0, entries: 1 } },
      requests: {
        "memory/store/req": { count: 1, outcomes: { ok: 1 } },
        "memory/retrieve/req": { count: 1, outcomes: { unsupported: 1 } },
      },
      eventsPublished: 1,
      dropped: {},
      violations: {},
    });
  });

  it("omit the statistics of a plugin that fails", async () => {
    const plugin = new MapPlugin();
    plugin.stats = () => {
      throw new Error("x");
    };
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    const { maintained_at: _, ...figures } = fixture.host.stats().tiers.working!;
    expect(figures).toEqual({
      plugin: "map",
      serving: true,
      calls_running: 0,
      calls_waiting: 0,
      maintain_failures: 0,
      maintain_failures_in_a_row: 0,
    });
  });

  it("contain the time of the last successful maintenance, and its failures", async () => {
    const plugin = new MapPlugin();
    let fails = false;
    let rounds = 0;
    plugin.maintain = async () => {
      rounds++;
      if (fails) throw new Error("no space left");
    };
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    const round = async () => {
      const before = rounds;
      await fixture.clock.advance(1_000);
      await expect.poll(() => rounds).toBe(before + 1);
      return fixture.host.stats().tiers.working;
    };
    const well = { maintained_at: 1_800_000_001, maintain_failures: 0, maintain_failures_in_a_row: 0 };
    expect(await round()).toMatchObject(well);
    fails = true;
    await round();
    expect(await round()).toMatchObject({ ...well, maintain_failures: 2, maintain_failures_in_a_row: 2 });
    fails = false;
    expect(await round()).toMatchObject({
      maintained_at: 1_800_000_004,
      maintain_failures: 2,
      maintain_failures_in_a_row: 0,
    });
    expect(fixture.host.stats().process.rss_bytes).toBeGreaterThan(2 ** 20);
  });
});
