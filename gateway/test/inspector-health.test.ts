import { MemoryClient } from "@membus/agent-client";
import { systemClock } from "@membus/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { NatsFixture } from "../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { HostsHealth } from "../src/inspector/health.js";
import type { Health } from "../src/inspector/inspector-api.js";
import { KnownAgents } from "../src/inspector/known-agents.js";
import { tenantRoutes } from "../src/inspector/view-routes.js";
import { GatewayFixture } from "./gateway-fixture.js";

const fixture = new GatewayFixture({ hasOwnHost: true });
let bus: Awaited<ReturnType<GatewayFixture["bus"]>>;

beforeAll(async () => {
  await fixture.start();
  bus = await fixture.bus();
});

afterAll(() => fixture.stop());

function health(prefix = "a2e"): HostsHealth {
  return new HostsHealth({ bus, clock: systemClock, prefix });
}

it("shows the operations and the tiers of each host", async () => {
  const memory = await MemoryClient.connect({ bus, agent: "alice", timeoutMs: 60_000 });
  await memory.store([
    { key: "a", content: "one" },
    { key: "b", content: "two" },
  ]);
  await memory.retrieve({ query: "one" });
  const { hosts, at } = await health().read("default");
  expect(at).toBeGreaterThan(1_700_000_000);
  const { host_id } = await memory.ping();
  expect(hosts).toMatchObject([{ id: host_id, state: "serving" }]);
  const endpoints = new Map(hosts[0]!.endpoints.map((endpoint) => [endpoint.name, endpoint]));
  expect(endpoints.get("store")).toMatchObject({ requests: 1, errors: 0 });
  expect(endpoints.get("retrieve")).toMatchObject({ requests: 1, errors: 0 });
  expect(endpoints.get("store")!.total_ms).toBeGreaterThan(0);
  expect(hosts[0]!.process.rss_bytes).toBeGreaterThan(1_000_000);
  expect(Object.keys(hosts[0]!.tiers)).toEqual(["working", "episodic", "semantic"]);
  expect(hosts[0]!.tiers.working).toMatchObject({ plugin: "lru", serving: true, lru_entries: 2 });
});

it("counts queued writes, and leaves out a count that cannot be read", async () => {
  const clients = undefined as never;
  const known = new KnownAgents(bus, "a2e");
  const read = async (queuedWrites?: () => Promise<number>) => {
    const { health } = tenantRoutes({ bus, clock: systemClock, clients, prefix: "a2e", queuedWrites }, known);
    return (await health!("default")) as Health;
  };
  const replies = [
    await read(async () => 14),
    await read(() => Promise.reject(new Error("x"))),
    await read(),
  ];
  expect(replies.map(({ queued_writes }) => queued_writes)).toEqual([14, undefined, undefined]);
  expect(replies.map(({ hosts }) => hosts.length)).toEqual([1, 1, 1]);
});

it("leaves out hosts of another prefix or tenant, and invalid responses", async () => {
  const liar = bus.subscribe("$SRV.STATS.membus", ({ reply }) => {
    for (const text of [
      "no json",
      "[]",
      '{"id":7}',
      '{"id":"x","metadata":{"prefix":"other","tenants":"acme,beta"}}',
    ]) {
      bus.publish(reply!, Buffer.from(text));
    }
  });
  await bus.flush();
  const { hosts } = await health().read("default");
  expect(hosts.length).toBe(1);
  expect((await health("other").read("acme")).hosts.map(({ id, tiers }) => [id, tiers])).toEqual([["x", {}]]);
  expect((await health("other").read("gamma")).hosts).toEqual([]);
  await liar.drain();
});

it("sends one request for simultaneous readers", async () => {
  let asked = 0;
  const witness = bus.subscribe("$SRV.STATS.membus", () => void asked++);
  await bus.flush();
  const shared = health();
  const answers = await Promise.all([shared.read("default"), shared.read("default"), shared.read("default")]);
  expect(new Set(answers.map(({ at }) => at)).size).toBe(1);
  expect(asked).toBe(1);
  await witness.drain();
});

it("reports a missing NATS permission, and asks again", async () => {
  const servers = new NatsFixture();
  const permissions = '{ publish: { deny: ["$SRV.>"] } }';
  const config = `authorization { users: [{ user: g, password: g, permissions: ${permissions} }] }\n`;
  const { url } = await servers.launchConfigured(NATS_SERVER, config);
  const { bus: refused } = await servers.connect({ servers: url, user: "g", pass: "g" });
  const hosts = new HostsHealth({ bus: refused, clock: systemClock, prefix: "a2e" });
  await rejection(hosts.read("default"), "unauthorized");
  await rejection(hosts.read("default"), "unauthorized");
  await servers.close();
});
