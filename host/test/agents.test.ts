import { operatorSubject } from "@membus/protocol";
import { expect, it } from "vitest";
import { decoded, HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

/** A plugin with these agents. */
function pluginWith(names: readonly string[]): MapPlugin {
  const plugin = new MapPlugin();
  const features = { ...plugin.manifest.features, agents: true };
  return Object.assign(plugin, {
    manifest: { ...plugin.manifest, features },
    onAgents: async ({ after = "", limit }: { readonly after?: string; readonly limit: number }) => ({
      agents: names.filter((name) => name > after).slice(0, limit),
    }),
  });
}

async function ask(fixture: HostFixture, fields: object = {}, tenant = "default") {
  const message = { type: "memory/agents/req", id: "r", ...fields };
  return decoded(await fixture.send(operatorSubject(tenant), message));
}

it("lists the agents of two tiers on pages, for operators", async () => {
  const plugins = { working: pluginWith(["a", "zoë"]), episodic: pluginWith(["a", "b"]) };
  const fixture = await HostFixture.start({ plugins });
  const first = await ask(fixture, { limit: 2 });
  expect(first).toMatchObject({
    type: "memory/agents/resp",
    req_id: "r",
    agents: [
      { name: "a", tiers: ["working", "episodic"] },
      { name: "b", tiers: ["episodic"] },
    ],
    cursor: "b",
  });
  const rest = await ask(fixture, { limit: 2, cursor: "b" });
  expect(rest).toMatchObject({ agents: [{ name: "zoë", tiers: ["working"] }] });
  expect(rest).not.toHaveProperty("cursor");
  const refused = await fixture.ask("memory/agents/req", {}, "alice");
  expect(refused).toMatchObject({ type: "error", code: "unauthorized" });
  expect(fixture.audit.map(({ agent, type, code }) => [agent, type, code])).toEqual([
    ["$OPERATOR", "memory/agents/req", "ok"],
    ["$OPERATOR", "memory/agents/req", "ok"],
    ["alice", "memory/agents/req", "unauthorized"],
  ]);
});

it("cuts a page to the size of a message", async () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `${String(at).padStart(4, "0")}${"x".repeat(180)}`);
  const fixture = await HostFixture.start({
    plugins: { episodic: pluginWith(names) },
    bus: { maxPayloadBytes: 65_536 },
  });
  const found: string[] = [];
  let cursor: unknown;
  let pageCount = 0;
  do {
    const reply = await ask(fixture, { limit: 1_000, ...(cursor !== undefined && { cursor }) });
    found.push(...(reply.agents as { name: string }[]).map(({ name }) => name));
    cursor = reply.cursor;
    pageCount++;
  } while (cursor !== undefined);
  expect(found).toEqual(names);
  expect(pageCount).toBeGreaterThan(3);
});

it("is unsupported by a host without private tiers, or if no plugin declares it", async () => {
  const shared = await HostFixture.start({ plugins: { semantic: pluginWith(["a"]) } });
  expect(await ask(shared)).toMatchObject({ type: "error", code: "unsupported" });
  const undeclared = await HostFixture.start({ plugins: { episodic: new MapPlugin() } });
  expect(await ask(undeclared)).toMatchObject({ code: "unsupported", detail: { feature: "agents" } });
});
