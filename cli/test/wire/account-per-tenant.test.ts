import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { MemoryClient } from "@membus/agent-client";
import type { MemoryEvent } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rejection } from "../../../bus/test/expect-error.js";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { Wire } from "./wire-fixture.js";

const CONFIG = fileURLToPath(
  new URL("../../../protocol/spec/examples/account-per-tenant.conf", import.meta.url),
);

const HOST = { user: "membus", pass: "change-membus" };
const ALICE = { user: "acme-alice", pass: "change-acme-alice", inboxPrefix: "_INBOX_alice" };
const BOB = { user: "globex-bob", pass: "change-globex-bob", inboxPrefix: "_INBOX_bob" };
/** Returns the inbox prefixes that the comments of the example name. */
async function namedInboxPrefixes(): Promise<string[]> {
  const text = await readFile(CONFIG, "utf8");
  return [...text.matchAll(/^#.*prefixes are `(\S+)` and `(\S+)`/gm)].flatMap(([, ...names]) => names);
}

const TIERS = ["working", "episodic", "semantic"] as const;

describe.each(NATS_SERVERS)("tenants with separate accounts on %s", (binary) => {
  let wire: Wire;
  let alice: MemoryClient;
  let bob: MemoryClient;

  beforeAll(async () => {
    wire = await Wire.start({
      binary,
      server: { configFile: CONFIG },
      hostConnection: HOST,
      config: { host: { inboxPrefixes: await namedInboxPrefixes() } },
    });
    alice = await wire.client("alice", ALICE);
    bob = await wire.client("bob", BOB);
  });
  afterAll(() => wire?.close());

  it("share nothing, not even the semantic tier", async () => {
    const entries = TIERS.map((tier) => ({ key: "secret", content: `ACME's ${tier}`, tier }));
    await alice.store(entries);
    expect((await alice.retrieve({ keys: ["secret"] })).total).toBe(3);
    expect((await bob.retrieve({ keys: ["secret"] })).total).toBe(0);
    expect((await bob.retrieve({ query: "secret" })).total).toBe(0);
    expect((await bob.forget({ keys: ["secret"] })).deleted).toBe(0);
    expect((await alice.retrieve({ keys: ["secret"] })).total).toBe(3);
  });

  it("use the tenant name `default`, and cannot name another tenant", async () => {
    expect(alice.tenant).toBe("default");
    for (const tenant of ["GLOBEX", "ACME"]) {
      const other = await wire.client("alice", { ...ALICE, tenant });
      await rejection(other.retrieve({}), "unauthorized");
    }
    await rejection(alice.forAgent("bob").retrieve({}), "unauthorized");
  });

  it("receive no events of entries in another tenant", async () => {
    const received: string[] = [];
    const note = ({ tier, author }: MemoryEvent) => void received.push(`${tier} by ${author}`);
    await alice.watch({}, note);
    await bob.remember("news", 1, { tier: "semantic" });
    await alice.remember("news", 1, { tier: "semantic" });
    await alice.remember("news", 1, { tier: "episodic" });
    await expect.poll(() => received).toEqual(["semantic by alice", "episodic by alice"]);
  });

  it("can check whether a host is running", async () => {
    expect((await alice.ping()).host_id).toBe(wire.host.id);
    expect(wire.host.stats().dropped).toEqual({});
  });
});
