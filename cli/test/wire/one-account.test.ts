import { fileURLToPath } from "node:url";
import type { MemoryClient } from "@membus/agent-client";
import type { MemoryEvent } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rejection } from "../../../bus/test/expect-error.js";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { Wire } from "./wire-fixture.js";

const CONFIG = fileURLToPath(new URL("../../../protocol/spec/examples/one-account.conf", import.meta.url));

/** Returns the credentials and the private inbox of a user of the example. */
function userOf(user: string) {
  return { user, pass: `change-${user}`, inboxPrefix: `_INBOX_${user}` };
}

describe.each(NATS_SERVERS)("agents in one account of %s", (binary) => {
  let wire: Wire;
  let alice: MemoryClient;
  let bob: MemoryClient;

  beforeAll(async () => {
    wire = await Wire.start({
      binary,
      server: { configFile: CONFIG },
      hostConnection: userOf("membus"),
      config: { host: { inboxPrefixes: ["_INBOX_{agent}"] } },
    });
    alice = await wire.client("alice", userOf("alice"));
    bob = await wire.client("bob", userOf("bob"));
  });
  afterAll(() => wire?.close());

  it("have separate memories, and share the semantic tier", async () => {
    await alice.store([
      { key: "diary", content: "mine", tier: "episodic" },
      { key: "step", content: 1 },
      { key: "fact", content: "ours", tier: "semantic" },
    ]);
    expect(await alice.retrieve({ keys: ["diary", "step", "fact"] })).toMatchObject({ total: 3 });
    const { entries, total } = await bob.retrieve({ keys: ["diary", "step", "fact"] });
    expect(total).toBe(1);
    expect(entries[0]).toMatchObject({ content: "ours", author: "alice" });
    expect(await bob.forget({ keys: ["diary"], tier: "episodic" })).toMatchObject({ deleted: 0 });
  });

  it("cannot impersonate another agent", async () => {
    const asBob = alice.forAgent("bob");
    const inGlobex = await wire.client("alice", { ...userOf("alice"), tenant: "GLOBEX" });
    await rejection(asBob.store({ key: "diary", content: "forged", tier: "episodic" }), "unauthorized");
    await rejection(asBob.retrieve({}), "unauthorized");
    await rejection(asBob.ping(), "unauthorized");
    await rejection(inGlobex.retrieve({}), "unauthorized");
    expect(await bob.retrieve({ tier: "episodic" })).toMatchObject({ total: 0 });
  });

  it("cannot receive another agent's replies or events", async () => {
    const { inboxPrefix } = userOf("bob");
    const eavesdropping = await wire.client("alice", { ...userOf("alice"), inboxPrefix });
    await rejection(eavesdropping.retrieve({}), "unauthorized");
    await rejection(
      alice.forAgent("bob").watch({ tier: "episodic" }, () => {}),
      "unauthorized",
    );
  });

  it("receive events of their private entries and of shared entries", async () => {
    const received: Record<string, string[]> = { alice: [], bob: [] };
    for (const client of [alice, bob]) {
      const note = ({ tier, author }: MemoryEvent) =>
        void received[client.agent]!.push(`${tier} by ${author}`);
      await client.watch({}, note);
    }
    for (const client of [alice, bob]) {
      for (const tier of ["working", "semantic"] as const)
        await client.remember("now", client.agent, { tier });
    }
    await expect
      .poll(() => received)
      .toEqual({
        alice: ["working by alice", "semantic by alice", "semantic by bob"],
        bob: ["semantic by alice", "working by bob", "semantic by bob"],
      });
  });
});
