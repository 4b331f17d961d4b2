import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { ask } from "./bare-request.js";
import { Wire } from "./wire-fixture.js";

const STORE = "a2e.default.alice.memory.store.req";
const REQUEST = '{"type":"memory/store/req","entries":[{"key":"trick","content":1}]}';
const PURGE = "$JS.API.STREAM.PURGE.ORDERS";

describe.each(NATS_SERVERS)("a reply subject outside the inboxes, over %s with JetStream", (binary) => {
  let folder: string;
  let wire: Wire;
  let nats: NatsConnection;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "membus-js-"));
    wire = await Wire.start({ binary, server: { storeDir: folder } });
    nats = await wire.connection();
    const stream = JSON.stringify({ name: "ORDERS", subjects: ["orders.*"], storage: "memory" });
    await nats.request("$JS.API.STREAM.CREATE.ORDERS", stream);
    for (const order of ["1", "2", "3"]) await nats.request(`orders.${order}`, order);
  });
  afterAll(async () => {
    await wire?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function messagesInStream(): Promise<number> {
    const info = await nats.request("$JS.API.STREAM.INFO.ORDERS");
    return (info.json() as { state: { messages: number } }).state.messages;
  }

  it.each([
    ["of the JetStream API", PURGE],
    ["of another agent's request", "a2e.default.bob.memory.forget.req"],
    ["of an event", "a2e.default.bob.events.memory.semantic.stored"],
    ["that only resembles an inbox", "INBOX.x"],
  ])("%s is dropped and counted, and nothing is published", async (_name, reply) => {
    const before = wire.host.stats();
    const published: string[] = [];
    const spy = nats.subscribe(">", { callback: (_error, { subject }) => void published.push(subject) });
    nats.publish(STORE, REQUEST, { reply });
    nats.publish("$SRV.PING.membus", "", { reply });
    const pong = await ask(nats, "alice", "ping", {});
    expect(pong).toMatchObject({ type: "pong" });
    spy.unsubscribe();
    const sent = [STORE, "$SRV.PING.membus", "a2e.default.alice.ping"];
    expect(published.filter((subject) => !subject.startsWith("_INBOX"))).toEqual(sent);
    const { dropped, eventsPublished } = wire.host.stats();
    expect(dropped.reply_subject).toBe((before.dropped.reply_subject ?? 0) + 2);
    expect(eventsPublished).toBe(0);
    expect(await messagesInStream()).toBe(3);
  });

  it("stored nothing, while the same subject from an authorised user purges the stream", async () => {
    expect(await ask(nats, "alice", "memory/retrieve/req", { keys: ["trick"] })).toMatchObject({ total: 0 });
    await nats.request(PURGE);
    expect(await messagesInStream()).toBe(0);
  });
});
