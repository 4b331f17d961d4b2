import { afterEach, expect, it } from "vitest";
import { rejection } from "../../../bus/test/expect-error.js";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { Wire } from "./wire-fixture.js";

let wire: Wire | undefined;
afterEach(() => wire?.close());

it.each(NATS_SERVERS)("quotas of membus.yaml limit the request rates, over %s", async (binary) => {
  const quotas = {
    agent: { entries: 10, requests_per_second: 2 },
    agents: {
      "default.large": { request_bytes_per_second: 2_048 },
      "default.busy": { query_ms_per_second: 1 },
      "default.bob": {},
    },
  };
  wire = await Wire.start({ binary, config: { quotas } });
  const ofOne = async (agent: string) => wire!.client(agent, { retryTimeoutMs: 0 });
  const often = await ofOne("often");
  const refused = await rejection(Promise.all([1, 2, 3, 4].map(() => often.ping())), "overloaded");
  expect(refused.detail.retry_after_ms).toBeGreaterThan(0);

  const large = await ofOne("large");
  await large.store({ key: "k", content: "x".repeat(2_500) });
  await rejection(large.store({ key: "k", content: "x".repeat(2_500) }), "overloaded");

  const busy = await ofOne("busy");
  const entries = Array.from({ length: 500 }, (_, n) => ({
    key: `k${n}`,
    content: `note ${n} of ${n % 7}`,
  }));
  await busy.store(entries);
  const asking = async () => {
    for (let n = 0; n < 50; n++) await busy.retrieve({ query: `note of ${n}`, limit: 100 });
  };
  await rejection(asking(), "overloaded");

  const bob = await ofOne("bob");
  for (let n = 0; n < 20; n++) await bob.retrieve({ query: `note ${n}` });
  expect(Object.keys(wire.host.stats().refused).sort()).toEqual([
    "agent_query_ms_per_second",
    "agent_request_bytes_per_second",
    "agent_requests_per_second",
  ]);
});

it.each(NATS_SERVERS)(
  "quotas of membus.yaml limit the storage in the durable tiers, over %s",
  async (binary) => {
    const quotas = {
      episodic: { agent: { entries: 2 } },
      semantic: { tenant: { namespaces: 1 }, agents: { "default.alice": { bytes: 65_536 } } },
    };
    wire = await Wire.start({ binary, config: { quotas } });
    const alice = await wire.client("alice", { retryTimeoutMs: 0 });
    const elsewhere = await wire.client("alice", { retryTimeoutMs: 0, namespace: "other" });
    const store = (tier: "episodic" | "semantic", key: string, content = "x", client = alice) =>
      client.store([{ key, content, tier }], { partial: true });
    const refused = async (stored: ReturnType<typeof store>) => (await stored).errors;
    const full = (limit: string, max: number) => [{ code: "memory_full", detail: { limit, max } }];
    await store("episodic", "a");
    await store("episodic", "b");
    expect(await refused(store("episodic", "c"))).toMatchObject(full("agentEntries", 2));
    await alice.forget({ keys: ["a"], tier: "episodic" });
    await store("episodic", "c");
    await store("semantic", "a");
    const space = store("semantic", "b", "x", elsewhere);
    const bytes = store("semantic", "b", "x".repeat(70_000));
    expect(await refused(space)).toMatchObject(full("tenantNamespaces", 1));
    expect(await refused(bytes)).toMatchObject(full("agentBytes", 65_536));
    const { tiers } = wire.host.stats();
    expect(tiers.episodic).toMatchObject({ quota_entries: 2, quota_tenants: 1, refused_by_quota: 1 });
    expect(tiers.semantic).toMatchObject({ quota_entries: 1, quota_namespaces: 1, refused_by_quota: 2 });
  },
);
