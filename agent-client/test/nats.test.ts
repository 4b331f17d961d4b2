import type { NatsServer } from "@membus/nats-server";
import { connect } from "@nats-io/transport-node";
import { afterEach, describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { NatsFixture } from "../../bus/test/nats-fixture.js";
import { NATS_SERVERS } from "../../bus/test/nats-server.js";
import { MemoryClient } from "../src/index.js";
import { ScriptedHost, storeAll } from "./scripted-host.js";

const fixture = new NatsFixture();
afterEach(() => fixture.close());

async function scriptedHost(server: NatsServer): Promise<ScriptedHost> {
  const { bus } = await fixture.connect({ servers: server.url });
  const host = new ScriptedHost(bus, storeAll);
  host.listen();
  await bus.flush();
  return host;
}

async function connectClient(server: NatsServer): Promise<MemoryClient> {
  const client = await MemoryClient.connect({ servers: server.url, agent: "alice" });
  fixture.onClose(() => client.close());
  return client;
}

describe.each(NATS_SERVERS)("over %s", (binary) => {
  it("connects by URL, and closes its connection", async () => {
    const server = await fixture.launch({ binary });
    const host = await scriptedHost(server);
    const client = await connectClient(server);
    const entry = { key: "a", content: "é", embedding: [1], embedding_model: "m" };
    expect((await client.store([{ key: "b", content: 1 }])).stored).toEqual(["b"]);
    expect((await client.store([entry])).stored).toEqual(["a"]);
    expect(host.requests.map(({ encoding }) => encoding)).toEqual(["json", "msgpack"]);
    await client.close();
    await rejection(client.store(entry), "unavailable");
  });

  it("uses an existing connection and leaves it open", async () => {
    const server = await fixture.launch({ binary });
    await scriptedHost(server);
    const connection = await connect({ servers: server.url, inboxPrefix: "_INBOX_alice" });
    fixture.onClose(() => connection.close());
    const client = await MemoryClient.connect({ connection, inboxPrefix: "_INBOX_alice", agent: "alice" });
    expect((await client.store({ key: "a", content: 1 })).stored).toEqual(["a"]);
    await client.close();
    expect(connection.isClosed()).toBe(false);
  });

  it("splits a store according to the server's max_payload", async () => {
    const server = await fixture.launchConfigured(binary, "max_payload: 65536\n");
    const host = await scriptedHost(server);
    const client = await connectClient(server);
    const entries = Array.from({ length: 300 }, (_, n) => ({ key: { n }, content: "x".repeat(1_000) }));
    const { stored, errors } = await client.store([...entries, { key: "l", content: "x".repeat(65_000) }], {
      partial: true,
    });
    expect(stored).toHaveLength(300);
    expect(errors).toMatchObject([{ index: 300, key: "l", code: "too_large" }]);
    expect(host.requests.length).toBeGreaterThan(4);
  });

  it("rejects if no server answers", async () => {
    const server = await fixture.launch({ binary });
    await server.kill();
    const connecting = MemoryClient.connect({ servers: server.url, agent: "alice" });
    expect((await rejection(connecting, "unavailable")).detail.reason).toBe("connect");
  });
});

describe.each(NATS_SERVERS)("kill -9 and restart of %s", (binary) => {
  it("does not affect requests before or during it: all are answered, none with two ids", async () => {
    let server = await fixture.launch({ binary });
    const { port } = server;
    const host = await scriptedHost(server);
    const client = await connectClient(server);
    let next = 0;
    const storeMany = async () => {
      const stored: unknown[] = [];
      while (next < 3_000) stored.push(...(await client.store({ key: { n: next++ }, content: 1 })).stored);
      return stored;
    };
    const storing = Array.from({ length: 32 }, storeMany);
    for (let restarts = 0; restarts < 2; restarts++) {
      const before = host.requests.length;
      while (host.requests.length < before + 200) await new Promise((resolve) => setImmediate(resolve));
      await server.kill();
      server = await fixture.launch({ binary, port });
    }
    const stored = (await Promise.all(storing)).flat() as { n: number }[];
    expect(stored.map(({ n }) => n).sort((a, b) => a - b)).toEqual([...Array(3_000).keys()]);
    const idsByEntry = new Map(host.requests.map(({ message, text }) => [text, message.id]));
    expect(idsByEntry.size).toBe(3_000);
    expect(new Set(idsByEntry.values()).size).toBe(3_000);
  });
});
