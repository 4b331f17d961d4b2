import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { Wire } from "./wire-fixture.js";

const exampleFile = (name: string) =>
  fileURLToPath(new URL(`../../../protocol/spec/examples/${name}.conf`, import.meta.url));

const WORDS = "words of bob";

/** A store request of bob. Its reply would repeat `WORDS`. */
const REQUEST = JSON.stringify({ type: "memory/store/req", entries: [{ key: WORDS, content: 1 }] });

/** A tenant with requests imported as a stream. The server forwards their reply subjects unchanged. */
const STREAM_IMPORT = `
  listen: "127.0.0.1:4222"
  accounts: {
    HOST: {
      users: [{ user: membus, password: "change-membus" }, { user: alice, password: "change-alice" }]
      imports: [{ stream: { account: ACME, subject: "a2e.ACME.>" } }]
    }
    ACME: { users: [{ user: bob, password: "change-bob" }], exports: [{ stream: "a2e.ACME.>" }] }
  }`;

let wire: Wire | undefined;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "membus-inbox-"));
});
afterEach(async () => {
  await wire?.close();
  wire = undefined;
  await rm(folder, { recursive: true, force: true });
});

function userOf(user: string) {
  return { user, pass: `change-${user}`, inboxPrefix: `_INBOX_${user}` };
}

/** Collects the messages of a pattern as text. */
async function listen(nats: NatsConnection, pattern: string): Promise<string[]> {
  const received: string[] = [];
  nats.subscribe(pattern, { callback: (_error, message) => void received.push(message.string()) });
  await nats.flush();
  return received;
}

/** Sends bob's request with each reply subject, and waits until the host has counted all as dropped. */
async function attack(bob: NatsConnection, subject: string, replies: readonly string[]): Promise<void> {
  const dropped = () => wire!.host.stats().dropped.reply_subject ?? 0;
  const before = dropped();
  for (const reply of replies) bob.publish(subject, REQUEST, { reply });
  await expect.poll(dropped).toBe(before + replies.length);
}

describe.each(NATS_SERVERS)("a reply subject in the inbox of another agent, over %s", (binary) => {
  it("is dropped, and its owner's own request is answered there", async () => {
    const server = { configFile: exampleFile("one-account") };
    wire = await Wire.start({ binary, server, hostConnection: userOf("membus") });
    const alice = await wire.connection(userOf("alice"));
    const bob = await wire.connection(userOf("bob"));
    const received = await listen(alice, "_INBOX_alice.>");
    const replies = ["_INBOX_alice.x", "_INBOX_alice", "_INBOX_bob2.x", "_INBOX_bobs.x", "_INBOX_membus.x"];
    await attack(bob, "a2e.default.bob.memory.store.req", replies);
    const reply = await alice.request(
      "a2e.default.alice.memory.retrieve.req",
      '{"type":"memory/retrieve/req"}',
    );
    expect(reply.json()).toMatchObject({ type: "memory/retrieve/resp" });
    const own = await bob.request("a2e.default.bob.memory.retrieve.req", '{"type":"memory/retrieve/req"}');
    expect(own.json()).toMatchObject({ total: 0 });
    await alice.flush();
    expect(received.filter((text) => text.includes(WORDS))).toEqual([]);
  });

  it("is dropped if requests of another account carry it unchanged", async () => {
    const configFile = join(folder, "stream.conf");
    await writeFile(configFile, STREAM_IMPORT);
    wire = await Wire.start({ binary, server: { configFile }, hostConnection: userOf("membus") });
    const bob = await wire.connection(userOf("bob"));
    const alice = await wire.connection(userOf("alice"));
    const received = await listen(alice, ">");
    const event = "a2e.ACME.alice.events.memory.semantic.stored";
    const replies = [
      "_INBOX_alice.x",
      "_INBOX_membus.x",
      event,
      "$JS.API.STREAM.PURGE.ORDERS",
      "a2e.ACME.bob",
    ];
    await attack(bob, "a2e.ACME.bob.memory.store.req", replies);
    await alice.flush();
    expect(received.filter((text) => text !== REQUEST && text.includes(WORDS))).toEqual([]);
  });

  it("cannot be distinguished if the server replaces it, and stays within that account", async () => {
    const config = { host: { inboxPrefixes: ["_INBOX_{agent}", "_R_"] } };
    const server = { configFile: exampleFile("account-per-tenant") };
    wire = await Wire.start({ binary, server, hostConnection: userOf("membus"), config });
    const alice = await wire.connection({ ...userOf("acme-alice"), inboxPrefix: "_INBOX_alice" });
    const bob = await wire.connection({ ...userOf("globex-bob"), inboxPrefix: "_INBOX_bob" });
    const received = await listen(alice, "_INBOX_alice.>");
    const echoed = await listen(bob, "_INBOX_bob.>");
    for (const reply of ["_INBOX_alice.x", "_INBOX_bob.x"])
      bob.publish("a2e.default.bob.memory.store.req", REQUEST, { reply });
    await expect.poll(() => echoed.length).toBe(1);
    await alice.flush();
    expect(received).toEqual([]);
    bob.publish("a2e.default.bob.memory.store.req", REQUEST, { reply: "_R_.forged" });
    await bob.flush();
    expect(wire.host.stats().dropped).toEqual({});
  });
});
