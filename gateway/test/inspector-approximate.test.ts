import { createLruPlugin } from "@membus/plugin-lru";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterAll, beforeAll, expect, it } from "vitest";
import { InspectedGateway } from "./inspected-gateway.js";

const gateway = new InspectedGateway({ hasOwnHost: true });

/** Returns a plugin that answers every query as if an index had chosen the entries, unless it is `exact`. */
function indexedPlugin(): MemoryPlugin {
  const plugin = createLruPlugin();
  const features = { ...plugin.manifest.features, approximate: true };
  Object.defineProperty(plugin, "manifest", { value: { ...plugin.manifest, features } });
  const retrieve = plugin.onRetrieve.bind(plugin);
  plugin.onRetrieve = async (selector, request) => {
    const page = await retrieve(selector, request);
    const isExact = request.query === undefined || request.exact;
    return isExact ? page : { ...page, total_relation: "gte", approximate: true };
  };
  return plugin;
}

beforeAll(async () => {
  await gateway.open({}, { episodic: indexedPlugin() });
  for (const namespace of ["a", "b/c"]) {
    await gateway.alice.inNamespace(namespace).store({ key: "tea", content: "green tea", tier: "episodic" });
  }
});
afterAll(() => gateway.stop());

async function read(path: string, params: Readonly<Record<string, string>>) {
  const query = new URLSearchParams({ tenant: "default", agent: "alice", ...params });
  const response = await fetch(`${gateway.url}/inspector/${path}?${query}`);
  return (await response.json()) as { approximate?: string[]; total: number; total_relation: string };
}

it.each(["a", "**"])("a search of %s names the tiers that searched an index, once", async (namespace) => {
  const page = await read("memories", { namespace, q: "tea" });
  expect(page).toMatchObject({ approximate: ["episodic"], total_relation: "gte" });
});

it.each(["a", "**"])("a list of %s names none", async (namespace) => {
  const page = await read("memories", { namespace });
  expect(page).not.toHaveProperty("approximate");
  expect(page.total_relation).toBe("eq");
});

it("the playground passes `exact` on", async () => {
  const request = { namespace: "a", query: "tea" };
  const run = (body: object) => read("retrieve", { request: JSON.stringify(body) });
  expect((await run(request)).approximate).toEqual(["episodic"]);
  expect(await run({ ...request, exact: true })).not.toHaveProperty("approximate");
});
