import { encodeMessage } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { turn } from "./fake-clock.js";
import { contents, decoded, HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

const STORE = "a2e.default.alice.memory.store.req";
const REQUEST = { type: "memory/store/req", id: "r", entries: [{ key: "a", content: 1 }] };

describe("identity", () => {
  it("is taken from the subject, and the author of an entry cannot be forged", async () => {
    const fixture = await HostFixture.start({ plugins: { semantic: new MapPlugin() } });
    await fixture.store(
      [{ key: "a", content: 1, tier: "semantic", author: "root", source: "root" }],
      {},
      "bob",
    );
    expect((await fixture.retrieve()).entries).toMatchObject([{ author: "bob", source: "root" }]);
  });

  it("cannot be given in the payload", async () => {
    const fixture = await HostFixture.start();
    for (const fields of [{ agent: "bob" }, { tenant: "acme" }, { caller: { agent: "bob" } }]) {
      const [name] = Object.keys(fields);
      expect(await fixture.retrieve(fields)).toMatchObject({
        code: "schema_violation",
        detail: { path: name },
      });
    }
  });

  it("separates tenants and agents with the same session and id", async () => {
    const fixture = await HostFixture.start({
      plugins: { episodic: new MapPlugin(), semantic: new MapPlugin() },
    });
    const entries = ["episodic", "semantic"].map((tier) => ({ key: "a", content: tier, tier }));
    const fields = { id: "same", session_id: "s", entries };
    await fixture.ask("memory/store/req", fields, "alice", "acme");
    const tiersSeen = async (agent: string, tenant: string) =>
      contents(await fixture.ask("memory/retrieve/req", { session_id: "s" }, agent, tenant));
    expect(await tiersSeen("alice", "acme")).toEqual(["episodic", "semantic"]);
    expect(await tiersSeen("bob", "acme")).toEqual(["semantic"]);
    expect(await tiersSeen("alice", "other")).toEqual([]);
    expect(await fixture.ask("memory/status/req", { request_id: "same" }, "bob", "acme")).toMatchObject({
      code: "memory_not_found",
    });
  });

  it("may be any escaped name", async () => {
    const fixture = await HostFixture.start();
    await fixture.store([{ key: "a", content: 1 }], {}, "zoë\nof *.>");
    expect((await fixture.retrieve({}, "zoë\nof *.>")).entries).toMatchObject([{ author: "zoë\nof *.>" }]);
    expect((await fixture.retrieve({}, "zoë")).total).toBe(0);
  });
});

describe("a reply subject", () => {
  it("outside the inbox prefixes is dropped and counted, without a reply or effect", async () => {
    const fixture = await HostFixture.start();
    // The last message that a host publishes at its start is its own discovery reply.
    await fixture.bus.flush();
    const published: string[] = [];
    fixture.bus.subscribe(">", ({ subject }) => void published.push(subject));
    const others = ["_INBOX_bob.x", "_INBOX_alice2.x", "_INBOX_alic.x", "_INBOX_alice", "_INBOXES.x"];
    const protocol = ["$JS.API.STREAM.PURGE.X", "a2e.default.bob.memory.store.req"];
    const replies = [...others, ...protocol, "INBOX.x", "x._INBOX.y"];
    for (const reply of replies) fixture.bus.publish(STORE, encodeMessage(REQUEST, "json"), { reply });
    for (const reply of protocol) fixture.bus.publish("$SRV.PING", new Uint8Array(), { reply });
    await fixture.bus.flush();
    await turn();
    expect(published.filter((subject) => subject !== STORE && subject !== "$SRV.PING")).toEqual([]);
    expect(fixture.host.stats().dropped).toEqual({ reply_subject: 11 });
    expect((await fixture.retrieve()).total).toBe(0);
  });

  it.each(["_INBOX.x", "_INBOX_alice.x.y"])("such as %s is answered", async (reply) => {
    const fixture = await HostFixture.start();
    const answered = new Promise((resolve) => {
      fixture.bus.subscribe(reply, (message) => resolve(decoded(message).type));
    });
    fixture.bus.publish(STORE, encodeMessage(REQUEST, "json"), { reply });
    expect(await answered).toBe("memory/store/resp");
  });

  it("can be limited to the inbox of the tenant and agent, including escaped names", async () => {
    const inboxPrefixes = ["_INBOX_{tenant}.{agent}"];
    const fixture = await HostFixture.start({
      bus: { inboxPrefix: "_INBOX_host.membus" },
      options: { inboxPrefixes },
    });
    const received: string[] = [];
    fixture.bus.subscribe(">", ({ subject }) => {
      if (/^_INBOX_(default|ops)/.test(subject)) received.push(subject);
    });
    const requested = (agent: string, reply: string) =>
      fixture.bus.publish(`a2e.default.${agent}.ping`, encodeMessage({ type: "ping" }, "json"), { reply });
    requested("alice", "_INBOX.x");
    requested("alice", "_INBOX_default.bob.x");
    requested("alice", "_INBOX_other.alice.x");
    requested("alice", "_INBOX_default.alice.x");
    requested("=em_Dqw", "_INBOX_default.=em_Dqw.x");
    requested("=YWxpY2U", "_INBOX_default.=YWxpY2U.x");
    fixture.bus.publish("$SRV.PING", new Uint8Array(), { reply: "_INBOX_ops.anyone.x" });
    await expect.poll(() => received.length).toBe(4);
    expect(received.sort()).toEqual([
      "_INBOX_default.=YWxpY2U.x",
      "_INBOX_default.=em_Dqw.x",
      "_INBOX_default.alice.x",
      "_INBOX_ops.anyone.x",
    ]);
    expect(fixture.host.stats().dropped).toEqual({ reply_subject: 3 });
  });

  it("may be absent: mutations run without a reply, and other requests are dropped", async () => {
    const fixture = await HostFixture.start();
    fixture.bus.publish(STORE, encodeMessage(REQUEST, "json"));
    const ping = { type: "ping" };
    fixture.bus.publish("a2e.default.alice.ping", encodeMessage(ping, "json"));
    fixture.bus.publish("a2e.default.alice.memory.retrieve.req", Buffer.from("{"));
    await fixture.bus.flush();
    expect((await fixture.retrieve()).total).toBe(1);
    expect(fixture.host.stats().dropped).toEqual({ unanswerable: 2 });
    expect(fixture.audit.find(({ code }) => code === "ok")).toMatchObject({
      type: "memory/store/req",
      code: "ok",
      reply_bytes: 0,
    });
  });
});

describe("a namespace rule", () => {
  it("refuses each operation with unauthorized, and subtrees by their pattern", async () => {
    const requested: unknown[] = [];
    const allowNamespace = ({ agent }: { agent: string }, namespace: string, operation: string) => {
      requested.push([agent, namespace, operation]);
      return namespace !== "private";
    };
    const fixture = await HostFixture.start({ dependencies: { allowNamespace } });
    const refused = { type: "error", code: "unauthorized", detail: { path: "namespace" } };
    const fields = { namespace: "private", all: true };
    expect(await fixture.store([{ key: "a", content: 1 }], { namespace: "private" })).toMatchObject(refused);
    expect(await fixture.retrieve({ namespace: "private" })).toMatchObject(refused);
    expect(await fixture.forget(fields)).toMatchObject(refused);
    expect(await fixture.retrieve({ namespace: "a/**" })).toMatchObject({ total: 0 });
    expect(requested).toEqual([
      ["alice", "private", "store"],
      ["alice", "private", "retrieve"],
      ["alice", "private", "forget"],
      ["alice", "a/**", "retrieve"],
    ]);
  });
});
