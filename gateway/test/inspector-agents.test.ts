import { type AgentMemory, MemoryClient } from "@membus/agent-client";
import { createLruPlugin } from "@membus/plugin-lru";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, expect, it } from "vitest";
import type { AgentsReply, Overview } from "../src/inspector/inspector-api.js";
import { GatewayFixture, type Plugins } from "./gateway-fixture.js";

let fixture: GatewayFixture;
afterEach(() => fixture.stop());

async function startHost(plugins: Plugins = {}): Promise<AgentMemory> {
  fixture = new GatewayFixture({ hasOwnHost: true });
  await fixture.start(plugins);
  return MemoryClient.connect({ bus: await fixture.bus(), agent: "writer", timeoutMs: 60_000 });
}

/** Starts a gateway, and returns a function that reads from its inspector. */
async function startGateway() {
  const { url } = await fixture.gateway();
  return async <T>(path: string): Promise<T> =>
    (await (await fetch(`${url}/inspector/${path}tenant=default`)).json()) as T;
}

/** A plugin of the time before lists of agents. */
function earlierPlugin(): MemoryPlugin {
  const plugin = createLruPlugin();
  const { agents: _, ...features } = plugin.manifest.features;
  Object.defineProperty(plugin, "manifest", { get: () => ({ ...createLruPlugin().manifest, features }) });
  return plugin;
}

const entry = (tier: "working" | "episodic" | "semantic") => ({ key: { id: tier }, content: "tea", tier });

it("lists agents that stored privately before the gateway was started", async () => {
  const memory = await startHost();
  await memory.forAgent("alice").store(entry("episodic"));
  await memory.forAgent("bob").forSession("s1").store(entry("working"));
  await memory.forAgent("zoë").store([entry("episodic"), entry("semantic")]);
  const read = await startGateway();
  const { agents, complete } = await read<AgentsReply>("agents?");
  expect(agents.map(({ name, shared, own }) => [name, shared, own])).toEqual([
    ["zoë", 1, 1],
    ["alice", 0, 1],
    ["bob", 0, 0],
  ]);
  expect(complete).toBe(true);
  const overview = await read<Overview>("overview?");
  expect(overview.agents).toBe(3);
  expect(overview.tiers.find(({ tier }) => tier === "episodic")?.entries).toBe(2);
});

it("does not list an agent after its memory was forgotten", async () => {
  const memory = await startHost();
  for (const name of ["alice", "bob"]) await memory.forAgent(name).store(entry("episodic"));
  const read = await startGateway();
  const names = async () => (await read<AgentsReply>("agents?")).agents.map(({ name }) => name);
  expect(await names()).toEqual(["alice", "bob"]);
  await memory.forAgent("alice").forget({ all: true });
  expect(await names()).toEqual(["bob"]);
});

it("lists more agents than a page of the host has", async () => {
  const memory = await startHost();
  const stored = Array.from({ length: 1_050 }, (_, at) => `agent-${String(at).padStart(4, "0")}`);
  for (const name of stored) await memory.forAgent(name).store(entry("episodic"));
  const { agents, complete } = await (await startGateway())<AgentsReply>("agents?");
  expect(agents.map(({ name }) => name)).toEqual(stored);
  expect(agents.map(({ own }) => own).slice(48, 52)).toEqual([1, 1, null, null]);
  expect(complete).toBe(true);
});

it("lists the agents that were opened if the host does not list agents", async () => {
  const plugins = { working: earlierPlugin(), episodic: earlierPlugin() };
  const memory = await startHost(plugins);
  await memory.forAgent("alice").store(entry("semantic"));
  await memory.forAgent("bob").store(entry("episodic"));
  const read = await startGateway();
  const names = async () => (await read<AgentsReply>("agents?")).agents.map(({ name }) => name);
  expect(await names()).toEqual(["alice"]);
  expect((await read<AgentsReply>("agents?")).complete).toBe(false);
  await read("namespaces?agent=bob&");
  expect(await names()).toEqual(["alice", "bob"]);
});
