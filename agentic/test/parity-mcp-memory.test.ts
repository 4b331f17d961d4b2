import { describe, expect, it } from "vitest";
import { EntityGraph, KnowledgeGraph } from "../src/index.js";
import { openAgent } from "./agent-fixture.js";

const ADA = { name: "Ada", entityType: "person", observations: ["plays chess", "lives in London"] };
const BOB = { name: "Bob", entityType: "person", observations: [] };
const ACME = { name: "Acme", entityType: "company", observations: ["makes anvils"] };

/** Returns Ada and Bob, who work at Acme. */
async function office(): Promise<EntityGraph> {
  const graph = new EntityGraph(await openAgent());
  await graph.createEntities([ADA, BOB, ACME]);
  await graph.createRelations([
    { from: "Ada", to: "Acme", relationType: "works_at" },
    { from: "Bob", to: "Acme", relationType: "works_at" },
  ]);
  return graph;
}

const names = (entities: readonly { readonly name: string }[]) => entities.map(({ name }) => name);

describe("create_entities (entities: name, entityType, observations)", () => {
  it("creates new entities and returns them, and ignores existing names", async () => {
    const graph = new EntityGraph(await openAgent());
    expect(await graph.createEntities([ADA, ACME])).toEqual([ADA, ACME]);
    const again = { name: "Ada", entityType: "robot", observations: ["beeps"] };
    expect(await graph.createEntities([again, BOB])).toEqual([BOB]);
    expect((await graph.readGraph()).entities).toEqual([ADA, ACME, BOB]);
  });

  it("gives a concurrently created entity one of several types", async () => {
    const memory = await openAgent();
    const created = await Promise.all(
      ["person", "robot", "place"].map((entityType) =>
        new EntityGraph(memory).createEntities([{ name: "Ada", entityType, observations: [entityType] }]),
      ),
    );
    expect(created.flat()).toHaveLength(1);
    expect((await new EntityGraph(memory).readGraph()).entities).toEqual(created.flat());
  });

  it("takes a repeated name once", async () => {
    const graph = new EntityGraph(await openAgent());
    await graph.createEntities([ADA, { ...ADA, observations: [] }, { ...BOB, name: " Ada " }]);
    expect(names((await graph.readGraph()).entities)).toEqual(["Ada"]);
  });
});

describe("create_relations (relations: from, to, relationType)", () => {
  it("returns only new relations, and stores no duplicates", async () => {
    const graph = await office();
    const relation = { from: "Ada", to: "Bob", relationType: "knows" };
    expect(await graph.createRelations([relation, { ...relation, relationType: "Knows " }])).toEqual([
      relation,
    ]);
    expect(await graph.createRelations([relation])).toEqual([]);
    expect((await graph.readGraph()).relations).toHaveLength(3);
  });

  it("rejects reserved relation types", async () => {
    const relation = { from: "Ada", to: "person", relationType: "entity_type" };
    await expect((await office()).createRelations([relation])).rejects.toThrow(
      "relationType entity_type is reserved",
    );
  });
});

describe("add_observations (observations: entityName, contents)", () => {
  it("returns the new observations of each entity", async () => {
    const graph = await office();
    const { added, notFound } = await graph.addObservations([
      { entityName: "Ada", contents: ["plays chess", "speaks French"] },
      { entityName: "Nobody", contents: ["exists"] },
    ]);
    expect(added).toEqual([{ entityName: "Ada", addedObservations: ["speaks French"] }]);
    expect(notFound).toEqual(["Nobody"]);
    const [ada] = (await graph.openNodes(["Ada"])).entities;
    expect(ada!.observations).toEqual(["plays chess", "lives in London", "speaks French"]);
    expect((await graph.openNodes(["Nobody"])).entities).toEqual([]);
  });
});

describe("delete_entities (entityNames)", () => {
  it("removes observations and relations too, and returns deleted and notFound", async () => {
    const graph = await office();
    expect(await graph.deleteEntities(["Acme", "Nobody", "Acme"])).toEqual({
      deleted: ["Acme"],
      notFound: ["Nobody"],
    });
    expect(await graph.readGraph()).toEqual({ entities: [ADA, BOB], relations: [], truncated: false });
  });

  it("keeps observations of others that resemble its name", async () => {
    const graph = new EntityGraph(await openAgent());
    await graph.createEntities([BOB, { name: "note", entityType: "note", observations: ["Bob"] }]);
    await graph.deleteEntities(["Bob"]);
    expect((await graph.readGraph()).entities).toEqual([
      { name: "note", entityType: "note", observations: ["Bob"] },
    ]);
  });
});

describe("delete_observations (deletions: entityName, observations)", () => {
  it("returns deleted and notFound", async () => {
    const graph = await office();
    const deletions = [{ entityName: "Ada", observations: ["plays chess", "plays go"] }];
    expect(await graph.deleteObservations(deletions)).toEqual({
      deleted: [{ entityName: "Ada", observation: "plays chess" }],
      notFound: [{ entityName: "Ada", observation: "plays go" }],
    });
    expect((await graph.openNodes(["Ada"])).entities[0]!.observations).toEqual(["lives in London"]);
  });
});

describe("delete_relations (relations: from, to, relationType)", () => {
  it("returns deleted and notFound", async () => {
    const graph = await office();
    const works = { from: "Ada", to: "Acme", relationType: "works_at" };
    const owns = { from: "Ada", to: "Acme", relationType: "owns" };
    expect(await graph.deleteRelations([works, owns])).toEqual({ deleted: [works], notFound: [owns] });
    expect((await graph.readGraph()).relations).toEqual([
      { from: "Bob", to: "Acme", relationType: "works_at" },
    ]);
  });
});

describe("read_graph", () => {
  it("returns all entities and relations", async () => {
    expect(await (await office()).readGraph()).toEqual({
      entities: [ADA, BOB, ACME],
      relations: [
        { from: "Ada", to: "Acme", relationType: "works_at" },
        { from: "Bob", to: "Acme", relationType: "works_at" },
      ],
      truncated: false,
    });
  });

  it("reports an incomplete result", async () => {
    const graph = new EntityGraph(await openAgent(), { itemCountMax: 1 });
    await graph.createEntities([ADA, BOB]);
    expect((await graph.readGraph()).truncated).toBe(true);
  });
});

describe("search_nodes (query)", () => {
  it("finds by name, type and observation, also within a word", async () => {
    const graph = await office();
    expect(names((await graph.searchNodes("Ada")).entities)[0]).toBe("Ada");
    expect(names((await graph.searchNodes("company")).entities)).toEqual(["Acme"]);
    expect(names((await graph.searchNodes("chess")).entities)).toEqual(["Ada"]);
    expect(names((await graph.searchNodes("nvil")).entities)).toEqual(["Acme"]);
    expect((await graph.searchNodes("nothing of the kind")).entities).toEqual([]);
  });

  it("includes the relations of the results", async () => {
    const { entities, relations } = await (await office()).searchNodes("anvils");
    expect(entities).toEqual([ACME]);
    expect(relations.map(({ from }) => from)).toEqual(["Ada", "Bob"]);
  });
});

describe("open_nodes (names)", () => {
  it("returns existing nodes with their relations", async () => {
    const { entities, relations } = await (await office()).openNodes(["Bob", "Nobody", "Ada"]);
    expect(entities).toEqual([ADA, BOB]);
    expect(relations.map(({ from }) => from)).toEqual(["Ada", "Bob"]);
  });
});

describe("one graph with KnowledgeGraph", () => {
  it("shares relations with the triples of the same namespace", async () => {
    const memory = await openAgent();
    const [entities, triples] = [new EntityGraph(memory), new KnowledgeGraph(memory)];
    await entities.createRelations([{ from: "Ada", to: "Acme", relationType: "works at" }]);
    await triples.add([
      { subject: "Acme", predicate: "is in", object: "London" },
      { subject: "Acme", predicate: "observation", object: "makes anvils" },
    ]);
    expect((await triples.paths("Ada", "London")).paths[0]!.nodes).toEqual(["Ada", "Acme", "London"]);
    expect((await entities.readGraph()).relations).toEqual([
      { from: "Ada", to: "Acme", relationType: "works_at" },
      { from: "Acme", to: "London", relationType: "is_in" },
    ]);
  });
});

describe("exact spelling", () => {
  it("stores names and texts as given, also empty ones", async () => {
    const memory = await openAgent();
    const graph = new EntityGraph(memory, { spelling: "exact" });
    const entity = { name: " a  b ", entityType: "", observations: ["", "x\ny", ""] };
    const relations = [
      { from: "", to: " a  b ", relationType: "" },
      { from: "A", to: "B", relationType: "entity_type" },
    ];
    expect(await graph.createEntities([entity])).toEqual([entity]);
    expect(await graph.createRelations(relations)).toEqual(relations);
    expect(await graph.readGraph()).toEqual({ entities: [entity], relations, truncated: false });
    expect(await graph.deleteEntities([" a  b ", "a b"])).toEqual({ deleted: [" a  b "], notFound: ["a b"] });
    expect((await graph.readGraph()).relations).toEqual([relations[1]]);
  });
});

describe("bugs of the reference server that do not occur here", () => {
  it("keeps all concurrent writes (servers#4797)", async () => {
    const memory = await openAgent();
    const graphs = Array.from({ length: 8 }, () => new EntityGraph(memory));
    await Promise.all(
      graphs.map((graph, n) =>
        graph.createEntities([{ name: `e${n}`, entityType: "thing", observations: [`seen by ${n}`] }, BOB]),
      ),
    );
    const { entities } = await graphs[0]!.readGraph();
    expect(names(entities).toSorted()).toEqual(["Bob", "e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7"]);
  });

  it("creates an entity once with concurrent callers", async () => {
    const memory = await openAgent();
    const graphs = Array.from({ length: 8 }, () => new EntityGraph(memory));
    const created = await Promise.all(graphs.map((graph) => graph.createEntities([ADA])));
    expect(created.flat().filter(({ name }) => name === "Ada")).toHaveLength(1);
    expect((await graphs[0]!.readGraph()).entities).toHaveLength(1);
  });

  it("ignores and keeps entries that are not triples (the reference server drops malformed lines)", async () => {
    const memory = await openAgent();
    const stray = { key: "stray", content: "{", tier: "episodic" as const, metadata: { kind: "triple" } };
    await memory.inNamespace("graph").store(stray);
    const graph = new EntityGraph(memory);
    await graph.createEntities([ADA]);
    expect((await graph.readGraph()).entities).toEqual([ADA]);
    expect(await memory.inNamespace("graph").recall("stray")).toBe("{");
  });

  it("separates agents unless the tier is shared", async () => {
    const alice = await openAgent();
    const bob = alice.forAgent("bob");
    await new EntityGraph(alice).createEntities([ADA]);
    await new EntityGraph(alice, { tier: "semantic" }).createEntities([ACME]);
    expect((await new EntityGraph(bob).readGraph()).entities).toEqual([]);
    expect((await new EntityGraph(bob, { tier: "semantic" }).readGraph()).entities).toEqual([ACME]);
  });
});
