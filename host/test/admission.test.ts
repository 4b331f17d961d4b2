import { describe, expect, it } from "vitest";
import type { HostOptions } from "../src/index.js";
import { RateMeter, type RateQuotas } from "../src/rates/index.js";
import { Admission, type AdmissionSlot, type Refusal } from "../src/routing/admission.js";
import { BlockingPlugin } from "./blocking-plugin.js";
import { turn } from "./fake-clock.js";
import { HostFixture } from "./host-fixture.js";

const LIMITS = {
  inFlightCountMax: 3,
  inFlightBytesMax: 100,
  agentInFlightCountMax: 2,
  agentInFlightBytesMax: 90,
};

function admissionOf(rates: RateQuotas = {}, limits = LIMITS) {
  const admission = new Admission(limits, new RateMeter(rates));
  const slots: AdmissionSlot[] = [];
  const admit = (
    agent: string,
    bytes: number,
    { receivedAt = 1_000, tenant = "acme", isQuery = true } = {},
  ) => {
    const admitted = admission.admit({ sender: { tenant, agent }, bytes, isQuery, receivedAt });
    if (admitted === "flood") return "flood";
    if (admitted.kind === "admitted") slots.push(admitted);
    return admitted.kind === "admitted" ? "in" : admitted.cause;
  };
  return { admission, slots, admit };
}

describe("Admission", () => {
  it("limits requests by count, by agent and by bytes", () => {
    const { admission, slots, admit } = admissionOf();
    expect([admit("a", 10), admit("a", 10), admit("a", 10)]).toEqual(["in", "in", "agent_requests"]);
    expect([admit("b", 81), admit("b", 80), admit("c", 1)]).toEqual(["bytes", "in", "requests"]);
    slots[0]!.release();
    expect([admit("d", 11), admit("d", 10, { receivedAt: 1_000.1 })]).toEqual(["bytes", "in"]);
    expect([admission.count, admission.bytes]).toEqual([3, 100]);
  });

  it("limits the bytes of one agent, unless it has no other request running", () => {
    const { admit } = admissionOf();
    expect([admit("a", 50), admit("a", 41), admit("a", 40)]).toEqual(["in", "agent_bytes", "in"]);
    expect(admissionOf().admit("a", 95)).toBe("in");
  });

  it("admits a request larger than the byte limit if no other request is running", () => {
    const { admit } = admissionOf();
    expect([admit("a", 1_000), admit("b", 1)]).toEqual(["in", "bytes"]);
  });

  it("leaves slots for new agents, however many agents use their maximum", () => {
    const limits = { ...LIMITS, inFlightCountMax: 100, inFlightBytesMax: 1e9, agentInFlightCountMax: 100 };
    const { admit } = admissionOf({}, limits);
    const enterAll = (agent: string) => {
      let count = 0;
      while (admit(agent, 1) === "in") count++;
      return count;
    };
    expect(["a", "b", "c"].map(enterAll)).toEqual([89, 10, 1]);
  });

  it("resolves idle() when no request is running", async () => {
    const { admission, slots, admit } = admissionOf();
    await admission.idle();
    admit("a", 1);
    let idle = false;
    void admission.idle().then(() => (idle = true));
    await turn();
    expect(idle).toBe(false);
    slots[0]!.release();
    await turn();
    expect(idle).toBe(true);
  });

  it("drops the messages of an agent for one second after 1,000 refusals, and serves other agents", () => {
    const { admit } = admissionOf({}, { ...LIMITS, inFlightCountMax: 10 });
    admit("a", 1);
    admit("a", 1);
    const refusals = Array.from({ length: 1_001 }, () => admit("a", 1));
    expect(refusals.slice(0, 1_000).every((cause) => cause === "agent_requests")).toBe(true);
    expect(refusals[1_000]).toBe("flood");
    expect([admit("a", 1, { receivedAt: 1_000.9 }), admit("b", 1)]).toEqual(["flood", "in"]);
    expect(admit("a", 1, { receivedAt: 1_001.1 })).toBe("agent_requests");
  });

  describe("with agents that send again before `retry_after_ms`", () => {
    const limits = { ...LIMITS, inFlightCountMax: 16, inFlightBytesMax: 1e9, agentInFlightCountMax: 1 };

    /** Refuses a request of each agent. */
    function impatient(names: readonly string[]) {
      const own = admissionOf({}, limits);
      for (const name of names)
        expect([own.admit(name, 1), own.admit(name, 1)]).toEqual(["in", "agent_requests"]);
      for (const slot of own.slots.splice(0)) slot.release();
      return own;
    }

    it("admits them to an eighth of the capacity, and others to the rest", () => {
      const { admit } = impatient(["a", "b", "c"]);
      expect(["a", "b", "c"].map((name) => admit(name, 1))).toEqual(["in", "in", "impatient_agents"]);
      expect(admit("d", 1)).toBe("in");
    });

    it("admits them to all of the capacity after the wait", () => {
      const { admit } = impatient(["a", "b", "c"]);
      const later = { receivedAt: 1_000.1 };
      expect(["a", "b", "c"].map((name) => admit(name, 1, later))).toEqual(["in", "in", "in"]);
    });

    it("doubles the wait if the agent is refused again after it, up to 1.6 s", () => {
      const { admission, admit } = admissionOf({}, limits);
      admit("a", 1);
      const sender = { tenant: "acme", agent: "a" };
      const waitAt = (receivedAt: number) => {
        const refused = admission.admit({ sender, bytes: 1, isQuery: true, receivedAt });
        return (refused as Refusal).error.detail.retry_after_ms;
      };
      expect([1_000, 1_000, 1_000.05].map(waitAt)).toEqual([100, 100, 100]);
      expect([1_000.2, 1_000.3, 1_001, 1_002, 1_004, 1_006].map(waitAt)).toEqual([
        200, 200, 400, 800, 1_600, 1_600,
      ]);
    });

    it("answers 2,000 refusals per second after three in a row", () => {
      const names = ["a", "b", "c"];
      const { admit } = admissionOf({}, limits);
      for (const name of names) admit(name, 1);
      const causes = names.flatMap((name) => Array.from({ length: 900 }, () => admit(name, 1)));
      expect(causes.filter((cause) => cause === "agent_requests")).toHaveLength(2_000 + 3 * 3);
    });

    it("counts senders with refused messages in the queue of the bus", () => {
      const { admission } = admissionOf({}, limits);
      const overflowing = (agent: string) =>
        admission.admit({
          sender: { tenant: "acme", agent },
          bytes: 1,
          isQuery: true,
          receivedAt: 1,
          isOverflowing: true,
        });
      expect(["a", "b", "c"].map(overflowing)).toMatchObject([
        { isImpatient: true },
        { isImpatient: true },
        { cause: "impatient_agents" },
      ]);
    });
  });
});

/** Starts a host. Its plugin blocks one store by alice per key. `release` resolves with the replies. */
async function busyHost(options: HostOptions, keys = ["a"]) {
  const plugin = new BlockingPlugin();
  const fixture = await HostFixture.start({ plugins: { working: plugin }, options });
  const requests = keys.map((key) => fixture.store([{ key, content: 1 }]));
  await plugin.untilBlocked(keys.length);
  const release = () => {
    plugin.release();
    return Promise.all(requests);
  };
  return { plugin, fixture, release };
}

describe("an overloaded host", () => {
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

  it("refuses a request without decoding it, and returns the id from its first bytes", async () => {
    const { fixture, release } = await busyHost({ inFlightCountMax: 1 });
    const broken = Buffer.from('{"id":"mine","type":"memory/retrieve/req","query":');
    const { payload } = await fixture.bus.request("a2e.default.bob.memory.retrieve.req", broken, {
      timeoutMs: 60_000,
    });
    const reply = JSON.parse(Buffer.from(payload).toString()) as object;
    expect(reply).toMatchObject({ ...overloaded, req_id: "mine" });
    expect(fixture.host.stats().refused).toEqual({ requests: 1 });
    await release();
  });

  it("answers 1,000 refusals of one agent, drops further requests, and keeps serving other agents", async () => {
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

  it("does not start a large request after its deadline passed in the queue", async () => {
    const plugin = new BlockingPlugin();
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    const content = "x".repeat(20_000);
    const store = (_: unknown, n: number) =>
      fixture.store([{ key: `k${n}`, content }], { deadline_ms: 1_000 });
    // The number of requests of one agent that run concurrently depends on their estimated cost.
    const requests = Array.from({ length: 120 }, store);
    await plugin.untilBlocked(100);
    await fixture.clock.advance(2_000);
    plugin.release();
    const replies = await Promise.all(requests);
    expect(replies.map(({ code }) => code)).toEqual(replies.map(() => "timeout"));
    expect(replies.filter(({ message }) => /Nothing was done/.test(message as string))).toHaveLength(20);
  });

  it("does not let one agent take every slot", async () => {
    const { fixture, release } = await busyHost({ agentInFlightCountMax: 1 });
    expect(await fixture.ask("ping")).toMatchObject(overloaded);
    expect((await fixture.ask("ping", {}, "bob")).type).toBe("pong");
    expect((await fixture.ask("ping", {}, "alice", "acme")).type).toBe("pong");
    await release();
  });

  it("limits the queue of each plugin, separately for writes and reads", async () => {
    const plugin = new BlockingPlugin();
    const options = { pluginWriteConcurrency: 1, queueCountMax: 1 };
    const fixture = await HostFixture.start({ plugins: { working: plugin }, options });
    const requests = ["a", "b"].map((key) => fixture.store([{ key, content: 1 }]));
    await plugin.untilBlocked(1);
    expect(fixture.host.stats().tiers.working).toMatchObject({
      plugin: "map",
      calls_running: 1,
      calls_waiting: 1,
    });
    const refused = await fixture.store([{ key: "c", content: 1 }]);
    expect(refused.errors).toMatchObject([{ index: 0, code: "overloaded", detail: { retry_after_ms: 200 } }]);
    const reading = fixture.retrieve();
    await plugin.untilBlocked(2);
    plugin.release();
    expect((await reading).type).toBe("memory/retrieve/resp");
    await plugin.untilBlocked(1);
    plugin.release();
    expect((await Promise.all(requests)).map(({ errors }) => errors)).toEqual([[], []]);
  });

  it("never starts a queued request after its deadline", async () => {
    const { plugin, fixture, release } = await busyHost({ pluginWriteConcurrency: 1 });
    const second = fixture.store([{ key: "b", content: 1 }], { deadline_ms: 100 });
    await fixture.bus.flush();
    await fixture.clock.advance(120);
    expect(await second).toMatchObject({ code: "timeout" });
    await release();
    await turn();
    expect([plugin.blockedCount, plugin.calls.filter((call) => call === "store").length]).toEqual([0, 1]);
  });
});
