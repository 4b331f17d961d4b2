import { mappingLines } from "@membus/cluster/routing";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { isRecent, requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { useRunningHosts } from "../../../bus/test/running-hosts.js";
import { playScenes } from "../../../examples/demo/play-scenes.js";
import { Transcript } from "../../../examples/demo/transcript.js";
import { A2eClient } from "../../../gateway/test/a2e-client.js";
import type { ConnectedClient } from "../../../integrations/mcp/test/mcp-clients.js";
import { McpFixture } from "../../../integrations/mcp/test/mcp-fixture.js";
import { Chance } from "../crash/kill-loop/chance.js";
import { Findings } from "../crash/kill-loop/findings.js";
import { KillLoop } from "../crash/kill-loop/kill-loop.js";
import { endChild, lineOf } from "../run-cli.js";
import { ClusterStage } from "./cluster-stage.js";
import { TenantOwner } from "./tenant-owner.js";

const SHARDS = "4";
const HOSTS = ["a", "b", "c"];
const KILLS = 2;

let stage: ClusterStage;

beforeAll(async () => {
  if (!isRecent) return;
  stage = await ClusterStage.open({ config: mappingLines("a2e", Number(SHARDS)) });
  const init = ["--store", "s3://bucket/memory", "--shards", SHARDS, "--lease-ms", "5000"];
  await stage.ok("cluster", "init", ...init);
  await Promise.all(HOSTS.map((host) => stage.start(host)));
  useRunningHosts(stage.urls);
});
afterAll(() => stage?.close());
beforeEach(requireRecentServer);

function openOwner(tenant: string): TenantOwner {
  const owner = new TenantOwner(stage, tenant);
  onTestFinished(() => owner.close());
  return owner;
}

/** Returns a client of a `membus-mcp` over stdio. */
async function openMcp(): Promise<ConnectedClient> {
  const fixture = new McpFixture();
  onTestFinished(() => fixture.stop());
  await fixture.start();
  return fixture.client("stdio", "2026-07-28", ["--namespace", "pumps"]);
}

/** Starts a `membus gateway`, and returns requests of the agent alice over HTTP. */
async function openGateway() {
  const gateway = stage.spawn("gateway", "--listen", "127.0.0.1:0");
  onTestFinished(async () => void (await endChild(gateway, "SIGTERM")));
  const url = (await lineOf(gateway, /^membus gateway is listening on/)).split(" ").at(-1)!;
  const client = await A2eClient.create(url);
  await client.openStream(url);
  await client.handshake(url);
  const memory_id = await client.init(url, "valves");
  const ask = (operation: string, fields: object) =>
    client.ask(url, { type: `memory/${operation}/req`, memory_id, ...fields });
  return {
    store: (name: string, content: string) =>
      ask("store", { entries: [{ key: { name }, content, tier: "episodic" }] }),
    retrieve: (name: string) => ask("retrieve", { keys: [{ name }] }),
    forget: (name: string) => ask("forget", { keys: [{ name }] }),
  };
}

// Each suite has a `describe`, because its hooks empty the tenant of all.
describe.each([
  ["agent memory", () => import("../../../agentic/test/memory.test.js")],
  ["recall", () => import("../../../agentic/test/long-term-recall.test.js")],
  ["lineage", () => import("../../../agentic/test/lineage.test.js")],
  ["messages over HTTP", () => import("../../../gateway/test/a2e-messages.test.js")],
  ["the gateway's MCP server", () => import("../../../gateway/test/mcp.test.js")],
  ["the inspector's events", () => import("../../../gateway/test/inspector-events.test.js")],
  ["membus-mcp", () => import("../../../integrations/mcp/test/retrieve.test.js")],
  ["membus-mcp with a graph", () => import("../../../integrations/mcp/test/graph.slow.test.js")],
] as const)("the suite of %s", async (_, load) => void (await load()));

it("membus gateway and membus-mcp serve on after the owner of their tenant is killed", async () => {
  const [mcp, gateway] = await Promise.all([openMcp(), openGateway()]);
  const memory = { key: "pump", content: "The pump is red" };
  expect(await mcp.call("memory_store", { memories: [memory] })).toMatchObject({ isError: false });
  expect(await gateway.store("valve", "The valve is blue")).toMatchObject({ errors: [] });
  const owner = openOwner("default");
  await owner.killHost();
  const found = await mcp.call("memory_retrieve", { query: "red pump" });
  expect(found.structured).toMatchObject({ total: 1, memories: [memory] });
  expect(await gateway.retrieve("valve")).toMatchObject({ entries: [{ content: "The valve is blue" }] });
  await owner.start();
  expect((await mcp.call("memory_forget", { keys: ["pump"] })).structured).toMatchObject({ forgotten: 1 });
  expect(await gateway.forget("valve")).toMatchObject({ deleted: 1 });
  expect((await mcp.call("memory_retrieve")).structured).toMatchObject({ total: 0 });
  expect(await gateway.retrieve("valve")).toMatchObject({ entries: [] });
});

it("the demo passes every check while the owner of its tenant is killed and stopped", async () => {
  const host = openOwner("demo");
  const transcript = new Transcript();
  const [alice, bob] = [await host.client({ agent: "alice" }), await host.client({ agent: "bob" })];
  await playScenes({ host, alice, bob }, transcript);
  expect(transcript.close()).toBe(true);
  await host.start();
});

it("has every acknowledged entry exactly once, and no forgotten entry, while owners are killed under load", async () => {
  const findings = new Findings();
  const settings = { chance: new Chance(1), findings, roundsPerRelevance: KILLS };
  const loop = await KillLoop.open(openOwner("killed"), settings);
  await loop.run(KILLS);
  expect(findings.breaches).toEqual({ lost: [], doubled: [], back: [] });
  expect(findings).toMatchObject({ kills: KILLS });
  expect([findings.presences, findings.absences]).not.toContain(0);
});
