import { keyHash } from "@membus/protocol";
import type { PluginServices } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { auditHash } from "../src/index.js";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

const secret = Buffer.alloc(32, 7);
const hashOf = (key: string) => auditHash(keyHash(key), secret);

function start(plugin = new MapPlugin()): Promise<HostFixture> {
  return HostFixture.start({ plugins: { working: plugin }, dependencies: { auditSecret: secret } });
}

describe("audit", () => {
  it("records the keys of a request as hashes that the operator can look up", async () => {
    const fixture = await start();
    await fixture.store([{ key: "diary", content: 1, tags: ["t"] }], { namespace: "a/b" }, "alice");
    await fixture.forget({ keys: ["diary", { $hash: keyHash("other") }], namespace: "a/b" }, "bob");
    await fixture.retrieve({ tags: ["t"] }, "carol");
    await fixture.ask("ping");
    const requests = fixture.audit.filter(({ type }) => type !== undefined);
    expect(requests).toMatchObject([
      { agent: "alice", tiers: ["working"], namespace: "a/b", keys: [hashOf("diary")], key_count: 1 },
      { agent: "bob", namespace: "a/b", keys: [hashOf("diary"), hashOf("other")], key_count: 2 },
      { agent: "carol", namespace: "default", keys: undefined },
      { type: "ping", agent: "alice" },
    ]);
    const records = JSON.stringify(fixture.audit);
    for (const hidden of ["diary", keyHash("diary"), keyHash("other")]) expect(records).not.toContain(hidden);
  });

  it("lists at most 100 keys, and the total number", async () => {
    const fixture = await start();
    const keys = Array.from({ length: 101 }, (_, number) => `key ${number}`);
    await fixture.retrieve({ keys });
    expect(fixture.audit[0]).toMatchObject({ key_count: 101, keys: keys.slice(0, 100).map(hashOf) });
  });

  it("records the agent that removed an entry, for every kind of forget", async () => {
    const plugin = new MapPlugin();
    let services: PluginServices | undefined;
    plugin.open = async (given) => {
      services = given;
    };
    const fixture = await start(plugin);
    const scope = { tier: "working", tenant: "acme", agent: "alice", session: "", namespace: "n" } as const;
    const entry = {
      key: { name: "diary" },
      key_hash: keyHash("diary"),
      tags: [],
      revision: 1,
      author: "alice",
    };
    services!.notify({ action: "forgotten", scope, ...entry }, "bob");
    expect(fixture.audit).toEqual([
      {
        ts: 1_800_000_000,
        tenant: "acme",
        agent: "bob",
        action: "forgotten",
        tier: "working",
        namespace: "n",
        key: hashOf("diary"),
      },
    ]);
  });

  it("records refused and dropped messages with their sender", async () => {
    const fixture = await start();
    await fixture.retrieve({ cursor: "x" }, "mallory");
    fixture.bus.publish("a2e.acme.mallory.memory.retrieve.req", Buffer.from("{}"), {
      reply: "a2e.acme.bob.ping",
    });
    fixture.bus.publish("a2e.acme.mallory.memory.retrieve.req", Buffer.from("{}"));
    fixture.bus.publish("a2e.acme.=.ping", Buffer.from("{}"), { reply: "elsewhere" });
    await expect.poll(() => fixture.audit).toHaveLength(4);
    expect(fixture.audit).toEqual([
      expect.objectContaining({ agent: "mallory", code: "schema_violation", keys: undefined }),
      { ts: 1_800_000_000, tenant: "acme", agent: "mallory", reason: "reply_subject", request_bytes: 2 },
      { ts: 1_800_000_000, tenant: "acme", agent: "mallory", reason: "unanswerable", request_bytes: 2 },
      { ts: 1_800_000_000, reason: "reply_subject", request_bytes: 2 },
    ]);
  });

  it("ignores invalid plugin reports and failures of the sink", async () => {
    let services: PluginServices | undefined;
    const plugin = new MapPlugin();
    plugin.open = async (given) => {
      services = given;
    };
    const fixture = await start(plugin);
    services!.notify(undefined as never, "bob");
    expect(fixture.logger.messages("error")).toContain("failed to write the audit record of a removed entry");
    expect((await fixture.ask("ping")).type).toBe("pong");
  });
});

it("hashes with the secret, so that another secret gives other hashes", () => {
  expect(hashOf("diary")).toMatch(/^[0-9a-f]{32}$/);
  expect(auditHash(keyHash("diary"), Buffer.alloc(32, 8))).not.toBe(hashOf("diary"));
});
