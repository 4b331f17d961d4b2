import { describe, expect, it } from "vitest";
import type { HostOptions } from "../src/index.js";
import { RateMeter, type RateQuotas } from "../src/rates/index.js";
import { Admission, type Place } from "../src/routing/admission.js";
import { turn } from "./fake-clock.js";
import { HeldPlugin } from "./held-plugin.js";
import { HostFixture } from "./host-fixture.js";

const LIMITS = {
  inFlightCountMax: 3,
  inFlightBytesMax: 100,
  agentInFlightCountMax: 2,
  agentInFlightBytesMax: 90,
};

function admissionOf(rates: RateQuotas = {}, limits = LIMITS) {
  const admission = new Admission(limits, new RateMeter(rates));
  const places: Place[] = [];
  const enter = (
    agent: string,
    bytes: number,
    { receivedAt = 1_000, tenant = "acme", isQuery = true } = {},
  ) => {
    const entered = admission.enter({ sender: { tenant, agent }, bytes, isQuery, receivedAt });
    if (entered === "flood") return "flood";
    if (entered.kind === "place") places.push(entered);
    return entered.kind === "place" ? "in" : entered.cause;
  };
  return { admission, places, enter };
}

describe("Admission", () => {
  it("bounds requests by count, by agent and by bytes", () => {
    const { admission, places, enter } = admissionOf();
    expect([enter("a", 10), enter("a", 10), enter("a", 10)]).toEqual(["in", "in", "agent_requests"]);
    expect([enter("b", 81), enter("b", 80), enter("c", 1)]).toEqual(["bytes", "in", "requests"]);
    places[0]!.leave();
    expect([enter("a", 11), enter("a", 10)]).toEqual(["bytes", "in"]);
    expect([admission.count, admission.bytes]).toEqual([3, 100]);
  });

  it("bounds the bytes of one agent, unless it has nothing else", () => {
    const { enter } = admissionOf();
    expect([enter("a", 50), enter("a", 41), enter("a", 40)]).toEqual(["in", "agent_bytes", "in"]);
    expect(admissionOf().enter("a", 95)).toBe("in");
  });

  it("lets a request in that is larger than all, alone", () => {
    const { enter } = admissionOf();
    expect([enter("a", 1_000), enter("b", 1)]).toEqual(["in", "bytes"]);
  });

  it("leaves places to those who have none, however many agents want all they may", () => {
    const limits = { ...LIMITS, inFlightCountMax: 100, inFlightBytesMax: 1e9, agentInFlightCountMax: 100 };
    const { enter } = admissionOf({}, limits);
    const enterAll = (agent: string) => {
      let count = 0;
      while (enter(agent, 1) === "in") count++;
      return count;
    };
    expect(["a", "b", "c"].map(enterAll)).toEqual([89, 10, 1]);
  });

  it("tells when it is idle", async () => {
    const { admission, places, enter } = admissionOf();
    await admission.idle();
    enter("a", 1);
    let idle = false;
    void admission.idle().then(() => (idle = true));
    await turn();
    expect(idle).toBe(false);
    places[0]!.leave();
    await turn();
    expect(idle).toBe(true);
  });

  it("does not hear an agent for a second that goes on after a thousand refusals, and hears others", () => {
    const { enter } = admissionOf({}, { ...LIMITS, inFlightCountMax: 10 });
    enter("a", 1);
    enter("a", 1);
    const refusals = Array.from({ length: 1_001 }, () => enter("a", 1));
    expect(refusals.slice(0, 1_000).every((cause) => cause === "agent_requests")).toBe(true);
    expect(refusals[1_000]).toBe("flood");
    expect([enter("a", 1, { receivedAt: 1_000.9 }), enter("b", 1)]).toEqual(["flood", "in"]);
    expect(enter("a", 1, { receivedAt: 1_001.1 })).toBe("agent_requests");
  });
});

/** A host whose plugin holds one store of alice's for each key; `release` resolves with the replies. */
async function busyHost(options: HostOptions, keys = ["a"]) {
  const plugin = new HeldPlugin();
  const fixture = await HostFixture.start({ plugins: { working: plugin }, options });
  const asking = keys.map((key) => fixture.store([{ key, content: 1 }]));
  await plugin.untilHeld(keys.length);
  const release = () => {
    plugin.release();
    return Promise.all(asking);
  };
  return { plugin, fixture, release };
}

describe("a host with too much to do", () => {
  const overloaded = { type: "error", code: "overloaded", retryable: true };

  it("answers overloaded with retry_after_ms, and serves again afterwards", async () => {
    const options = { inFlightCountMax: 2, agentInFlightCountMax: 2 };
    const { fixture, release } = await busyHost(options, ["a", "b"]);
    expect(fixture.host.stats().inFlight).toMatchObject({ count: 2, mutationCount: 2 });
    const refused = await fixture.ask("ping", {}, "bob");
    expect(refused).toMatchObject({ ...overloaded, req_id: "request-3", detail: { retry_after_ms: 100 } });
    await release();
    expect((await fixture.ask("ping")).type).toBe("pong");
    expect(fixture.host.stats().inFlight).toEqual({ count: 0, bytes: 0, mutationCount: 0 });
  });

  it("refuses what it has not read, with the id that stands at its begin", async () => {
    const { fixture, release } = await busyHost({ inFlightCountMax: 1 });
    const broken = Buffer.from('{"id":"mine","type":"memory/retrieve/req","query":');
    const { payload } = await fixture.bus.request("a2e.default.bob.memory.retrieve.req", broken, {
      timeoutMs: 5_000,
    });
    const reply = JSON.parse(Buffer.from(payload).toString()) as object;
    expect(reply).toMatchObject({ ...overloaded, req_id: "mine" });
    expect(fixture.host.stats().refused).toEqual({ requests: 1 });
    await release();
  });

  it("answers a thousand refusals of one agent, drops the further ones, and serves others meanwhile", async () => {
    const { fixture, release } = await busyHost({ agentInFlightCountMax: 1 });
    let answered = 0;
    fixture.bus.subscribe("_INBOX.flood", () => void answered++);
    const ping = Buffer.from('{"type":"ping"}');
    for (let n = 0; n < 1_500; n++)
      fixture.bus.publish("a2e.default.alice.ping", ping, { reply: "_INBOX.flood" });
    expect((await fixture.ask("ping", {}, "bob")).type).toBe("pong");
    expect(answered).toBe(1_000);
    const { dropped, refused } = fixture.host.stats();
    expect([dropped.flood, refused.agent_requests]).toEqual([500, 1_000]);
    await release();
  });

  it("does not begin a large request whose deadline passed while it waited undecoded", async () => {
    const plugin = new HeldPlugin();
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    const content = "x".repeat(20_000);
    const store = (_: unknown, n: number) =>
      fixture.store([{ key: `k${n}`, content }], { deadline_ms: 1_000 });
    // As many of one agent run at once as are taken to be little work.
    const asking = Array.from({ length: 120 }, store);
    await plugin.untilHeld(100);
    await fixture.clock.advance(2_000);
    plugin.release();
    const replies = await Promise.all(asking);
    expect(replies.map(({ code }) => code)).toEqual(replies.map(() => "timeout"));
    expect(replies.filter(({ message }) => /nothing was done/.test(message as string))).toHaveLength(20);
  });

  it("does not let one agent take every place", async () => {
    const { fixture, release } = await busyHost({ agentInFlightCountMax: 1 });
    expect(await fixture.ask("ping")).toMatchObject(overloaded);
    expect((await fixture.ask("ping", {}, "bob")).type).toBe("pong");
    expect((await fixture.ask("ping", {}, "alice", "acme")).type).toBe("pong");
    await release();
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
    const { plugin, fixture, release } = await busyHost({ pluginWriteConcurrency: 1 });
    const second = fixture.store([{ key: "b", content: 1 }], { deadline_ms: 100 });
    await fixture.bus.flush();
    await fixture.clock.advance(120);
    expect(await second).toMatchObject({ code: "timeout" });
    await release();
    await turn();
    expect([plugin.heldCount, plugin.calls.filter((call) => call === "store").length]).toEqual([0, 1]);
  });
});
