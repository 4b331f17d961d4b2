import { describe, expect, it } from "vitest";
import { Admission } from "../src/routing/admission.js";
import { turn } from "./fake-clock.js";
import { HeldPlugin } from "./held-plugin.js";
import { HostFixture } from "./host-fixture.js";

const LIMITS = { inFlightCountMax: 3, inFlightBytesMax: 100, agentInFlightCountMax: 2 };

describe("Admission", () => {
  it("bounds requests by count, by agent and by bytes", () => {
    const admission = new Admission(LIMITS);
    const entered = (agent: string, bytes: number) => admission.enter(agent, bytes).ok;
    expect([entered("a", 10), entered("a", 10), entered("a", 10)]).toEqual([true, true, false]);
    expect([entered("b", 81), entered("b", 80), entered("c", 1)]).toEqual([false, true, false]);
    admission.leave("a", 10);
    expect([entered("a", 11), entered("a", 10)]).toEqual([false, true]);
    expect([admission.count, admission.bytes]).toEqual([3, 100]);
  });

  it("lets a request in that is larger than all, alone", () => {
    const admission = new Admission(LIMITS);
    expect(admission.enter("a", 1_000).ok).toBe(true);
    expect(admission.enter("b", 1).ok).toBe(false);
  });

  it("tells when it is idle", async () => {
    const admission = new Admission(LIMITS);
    await admission.idle();
    admission.enter("a", 1);
    let idle = false;
    void admission.idle().then(() => (idle = true));
    await turn();
    expect(idle).toBe(false);
    admission.leave("a", 1);
    await turn();
    expect(idle).toBe(true);
  });
});

describe("a host with too much to do", () => {
  const overloaded = { type: "error", code: "overloaded", retryable: true };

  it("answers overloaded with retry_after_ms, and serves again afterwards", async () => {
    const plugin = new HeldPlugin();
    const options = { inFlightCountMax: 2, agentInFlightCountMax: 2 };
    const fixture = await HostFixture.start({ plugins: { working: plugin }, options });
    const asking = ["a", "b"].map((key) => fixture.store([{ key, content: 1 }]));
    await plugin.untilHeld(2);
    expect(fixture.host.stats().inFlight).toMatchObject({ count: 2, mutationCount: 2 });
    const refused = await fixture.ask("ping", {}, "bob");
    expect(refused).toMatchObject({ ...overloaded, req_id: "request-3", detail: { retry_after_ms: 100 } });
    plugin.release();
    await Promise.all(asking);
    expect((await fixture.ask("ping")).type).toBe("pong");
    expect(fixture.host.stats().inFlight).toEqual({ count: 0, bytes: 0, mutationCount: 0 });
  });

  it("does not let one agent take every place", async () => {
    const plugin = new HeldPlugin();
    const fixture = await HostFixture.start({
      plugins: { working: plugin },
      options: { agentInFlightCountMax: 1 },
    });
    const asking = fixture.store([{ key: "a", content: 1 }]);
    await plugin.untilHeld(1);
    expect(await fixture.ask("ping")).toMatchObject(overloaded);
    expect((await fixture.ask("ping", {}, "bob")).type).toBe("pong");
    expect((await fixture.ask("ping", {}, "alice", "acme")).type).toBe("pong");
    plugin.release();
    await asking;
  });

  it("keeps a bounded queue for each plugin, writes apart from reads", async () => {
    const plugin = new HeldPlugin();
    const options = { pluginWriteConcurrency: 1, queueCountMax: 1 };
    const fixture = await HostFixture.start({ plugins: { working: plugin }, options });
    const asking = ["a", "b"].map((key) => fixture.store([{ key, content: 1 }]));
    await plugin.untilHeld(1);
    expect(fixture.host.stats().tiers.working).toMatchObject({
      plugin: "map",
      calls_running: 1,
      calls_waiting: 1,
    });
    const refused = await fixture.store([{ key: "c", content: 1 }]);
    expect(refused.errors).toMatchObject([{ index: 0, code: "overloaded", detail: { retry_after_ms: 200 } }]);
    const reading = fixture.retrieve();
    await plugin.untilHeld(2);
    plugin.release();
    expect((await reading).type).toBe("memory/retrieve/resp");
    await plugin.untilHeld(1);
    plugin.release();
    expect((await Promise.all(asking)).map(({ errors }) => errors)).toEqual([[], []]);
  });

  it("never starts what waited beyond its deadline", async () => {
    const plugin = new HeldPlugin();
    const fixture = await HostFixture.start({
      plugins: { working: plugin },
      options: { pluginWriteConcurrency: 1 },
    });
    const first = fixture.store([{ key: "a", content: 1 }]);
    await plugin.untilHeld(1);
    const second = fixture.store([{ key: "b", content: 1 }], { deadline_ms: 100 });
    await fixture.bus.flush();
    await fixture.clock.advance(120);
    expect(await second).toMatchObject({ code: "timeout" });
    plugin.release();
    await first;
    await turn();
    expect([plugin.heldCount, plugin.calls.filter((call) => call === "store").length]).toEqual([0, 1]);
  });
});
