import { afterAll, beforeAll, expect, it } from "vitest";
import type { ConnectedClient } from "./mcp-clients.js";
import { McpFixture } from "./mcp-fixture.js";

const fixture = new McpFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

/** Returns two clients of one graph, each with its own server. */
async function pair(namespace: string): Promise<[ConnectedClient, ConnectedClient]> {
  const flags = ["--graph", "--namespace", namespace];
  return [await fixture.client("stdio", "2026-07-28", flags), await fixture.client("http", "former", flags)];
}

async function graphOf(client: ConnectedClient) {
  const { structured } = await client.call("read_graph");
  return structured as { entities: { name: string; observations: string[] }[]; relations: object[] };
}

const NUMBERS = Array.from({ length: 40 }, (_, index) => index);

it("keeps all of 40 entities and relations that two clients create concurrently", async () => {
  const clients = await pair("parallel");
  const created = await Promise.all(
    NUMBERS.map((number) => {
      const entity = { name: `n${number}`, entityType: "number", observations: [] };
      return clients[number % 2]!.call("create_entities", { entities: [entity] });
    }),
  );
  const related = await Promise.all(
    NUMBERS.map((number) => {
      const relation = { from: `n${number}`, to: "n0", relationType: "follows" };
      return clients[number % 2]!.call("create_relations", { relations: [relation] });
    }),
  );
  expect([...created, ...related].filter(({ isError }) => isError)).toEqual([]);
  const { entities, relations } = await graphOf(clients[1]);
  expect(entities.map(({ name }) => name).toSorted()).toEqual(
    NUMBERS.map((number) => `n${number}`).toSorted(),
  );
  expect(relations).toHaveLength(40);
});

it("keeps all of 40 observations that two clients add to one entity concurrently", async () => {
  const clients = await pair("observed");
  await clients[0].call("create_entities", {
    entities: [{ name: "Ada", entityType: "person", observations: [] }],
  });
  const added = await Promise.all(
    NUMBERS.map((number) =>
      clients[number % 2]!.call("add_observations", {
        observations: [{ entityName: "Ada", contents: ["same", `seen ${number}`] }],
      }),
    ),
  );
  expect(added.filter(({ isError }) => isError)).toEqual([]);
  const [ada] = (await graphOf(clients[0])).entities;
  expect(ada!.observations.toSorted()).toEqual(
    ["same", ...NUMBERS.map((number) => `seen ${number}`)].toSorted(),
  );
});

it("returns an entity that two clients create concurrently to only one of them", async () => {
  const clients = await pair("rivals");
  const entities = NUMBERS.map((number) => ({ name: `n${number}`, entityType: "number", observations: [] }));
  const answers = await Promise.all(clients.map((client) => client.call("create_entities", { entities })));
  const created = answers.flatMap(({ structured }) => structured!.entities as { name: string }[]);
  expect(created.map(({ name }) => name).toSorted()).toEqual(entities.map(({ name }) => name).toSorted());
});

it("takes the first of two entities with the same name in one call", async () => {
  const [client] = await pair("twice");
  const ada = { name: "Ada", entityType: "person", observations: ["first"] };
  const { structured } = await client.call("create_entities", {
    entities: [
      ada,
      { name: "Bob", entityType: "person", observations: [] },
      { ...ada, observations: ["second"] },
    ],
  });
  expect(structured).toEqual({ entities: [ada, { name: "Bob", entityType: "person", observations: [] }] });
  expect((await graphOf(client)).entities).toEqual(structured!.entities);
});

it("searches by meaning if no text matches", async () => {
  const [client] = await pair("meaning");
  const entities = [
    { name: "Sun", entityType: "star", observations: ["the Earth orbits it"] },
    { name: "Ada", entityType: "person", observations: ["plays chess"] },
  ];
  await client.call("create_entities", { entities });
  const { structured } = await client.call("search_nodes", { query: "orbiting stars" });
  expect(structured).toEqual({ entities: [entities[0]], relations: [] });
});

it("rejects a graph that is too long for a result, and suggests other tools", async () => {
  const flags = ["--graph", "--namespace", "large", "--graph-chars-max", "1000"];
  const client = await fixture.client("stdio", "former", flags);
  const entities = NUMBERS.map((number) => ({
    name: `n${number}`,
    entityType: "number",
    observations: ["x".repeat(30)],
  }));
  await client.call("create_entities", { entities });
  const { isError, text } = await client.call("read_graph");
  expect(isError).toBe(true);
  expect(text).toMatch(/^The result has \d+ characters, limit 1000\. Use search_nodes .*open_nodes/);
  await expect(client.read("memory://knowledge-graph")).rejects.toThrow("limit 1000");
  expect((await client.call("open_nodes", { names: ["n7"] })).structured).toMatchObject({
    entities: [{ name: "n7" }],
  });
});

it("rejects a name that is too long, and stores nothing", async () => {
  const [client] = await pair("long");
  const long = { name: "x".repeat(5_000), entityType: "person", observations: [] };
  const refused = await client.call("create_entities", { entities: [long] });
  expect(refused).toMatchObject({ isError: true });
  expect(refused.text).toContain("too_large");
  const none = { entities: [], relations: [] };
  expect((await client.call("open_nodes", { names: [long.name] })).structured).toEqual(none);
  expect((await client.call("delete_entities", { entityNames: [long.name] })).isError).toBe(false);
});

it("does not affect other memories of the namespace", async () => {
  const flags = ["--namespace", "shared"];
  const memories = await fixture.client("stdio", "former", flags);
  await memories.call("memory_remember", { key: "Ada", value: "a note" });
  const graph = await fixture.client("stdio", "former", [...flags, "--graph"]);
  await graph.call("create_entities", {
    entities: [{ name: "Ada", entityType: "person", observations: [] }],
  });
  await graph.call("delete_entities", { entityNames: ["Ada"] });
  expect((await graphOf(graph)).entities).toEqual([]);
  expect((await memories.call("memory_recall", { key: "Ada" })).structured).toMatchObject({
    value: "a note",
  });
});

it("ignores invalid graph entries of other agents", async () => {
  const flags = ["--graph", "--namespace", "foreign", "--tier", "semantic"];
  const client = await fixture.client("stdio", "former", flags);
  const ada = { name: "Ada", entityType: "person", observations: ["plays chess"] };
  const relation = { from: "Ada", to: "Bob", relationType: "knows" };
  await client.call("create_entities", { entities: [ada] });
  await client.call("create_relations", { relations: [relation] });
  const mallory = await fixture.memory("foreign", "mallory");
  const foreign = [
    { key: { graph: "entity", name: "Bob" }, content: "chess" },
    { key: { graph: "entity", name: "Eve" }, content: { entityType: "person", observations: [7] } },
    { key: { graph: "entity", name: 7 }, content: { entityType: "person", observations: [] } },
    { key: { graph: "entity", name: "Ada", copy: 2 }, content: { entityType: "chess", observations: [] } },
    { key: { subject: "Ada", predicate: "knows", object: 7 }, content: "Ada knows 7" },
  ];
  const { stored } = await mallory.store(foreign.map((entry) => ({ ...entry, tier: "semantic" as const })));
  expect(stored).toHaveLength(5);
  const graph = { entities: [ada], relations: [relation] };
  const read = [
    await client.call("read_graph"),
    await client.call("search_nodes", { query: "chess" }),
    await client.call("search_nodes", { query: "a chess player" }),
    await client.call("open_nodes", { names: ["Ada", "Bob", "Eve"] }),
  ];
  expect(read.map(({ structured }) => structured)).toEqual([graph, graph, graph, graph]);
  const observations = [{ entityName: "Bob", contents: ["waits"] }];
  expect(await client.call("add_observations", { observations })).toMatchObject({
    isError: true,
    text: "Entity with name Bob not found",
  });
});

it("offers only reading tools with --read-only", async () => {
  const client = await fixture.client("stdio", "former", ["--graph", "--read-only"]);
  const names = (await client.tools()).map(({ name }) => name);
  expect(names).toEqual(["read_graph", "search_nodes", "open_nodes"]);
});
