import { describe, expect, it } from "vitest";
import { blockTools, coreMemoryTools } from "../src/blocks/index.js";
import { entityTools, graphTools } from "../src/graph/index.js";
import {
  Blocks,
  callTool,
  EntityGraph,
  KnowledgeGraph,
  runAgent,
  type Tool,
  toOpenAiTools,
} from "../src/index.js";
import { openAgent } from "./agent-fixture.js";
import { startModel } from "./model-fixture.js";

/** Calls tools as a model does. */
function caller(tools: readonly Tool[]) {
  return (name: string, args: object) => callTool(tools, { id: "1", name, arguments: JSON.stringify(args) });
}

describe("core memory tools", () => {
  it("append, replace and update, and return the new value", async () => {
    const blocks = new Blocks(await openAgent());
    await blocks.create("human", { value: "Name: Ada" });
    const call = caller(coreMemoryTools(blocks));
    expect(await call("core_memory_append", { label: "human", content: "Likes tea" })).toBe(
      "Appended to block human. Its value is now:\nName: Ada\nLikes tea",
    );
    const replacing = { label: "human", old_content: "tea", new_content: "coffee" };
    expect(await call("core_memory_replace", replacing)).toContain("\nLikes coffee");
    expect(await call("core_memory_update", { section: "human", new_content: "Gone" })).toContain(
      "now:\nGone",
    );
  });

  it("report the mistake of a model", async () => {
    const blocks = new Blocks(await openAgent());
    await blocks.create("human", { value: "aa", limit: 4 });
    await blocks.create("rules", { value: "x", readOnly: true });
    const call = caller(coreMemoryTools(blocks));
    const replacing = (old_content: string) => ({ label: "human", old_content, new_content: "b" });
    expect(await call("core_memory_replace", replacing("c"))).toContain(
      "the text to replace does not occur in it",
    );
    expect(await call("core_memory_replace", replacing("a"))).toContain(
      "occurs more than once. Include more of the text around it",
    );
    expect(await call("core_memory_append", { label: "human", content: "more" })).toContain(
      "the value has 7 characters, limit 4",
    );
    expect(await call("core_memory_append", { label: "rules", content: "y" })).toContain("it is read-only");
    expect(await call("core_memory_append", { label: "nobody", content: "y" })).toContain(
      "it does not exist",
    );
    expect(await call("core_memory_append", { label: "human" })).toContain(
      "arguments of core_memory_append are invalid",
    );
    expect((await blocks.list()).map(({ value }) => value)).toEqual(["aa", "x"]);
  });
});

describe("block tools", () => {
  it("cover all operations of an agent on its blocks", async () => {
    const blocks = new Blocks(await openAgent());
    const call = caller(blockTools(blocks));
    await call("memory_create", { label: "notes", description: "what I noted", content: "one" });
    await call("memory_insert", { label: "notes", insert_line: 0, new_str: "zero" });
    expect(await call("memory_replace", { label: "notes", old_str: "one", new_str: "two" })).toContain(
      "zero\ntwo",
    );
    await call("memory_rethink", { label: "notes", new_memory: "three" });
    expect(await call("memory_undo", { label: "notes" })).toContain("zero\ntwo");
    expect(await call("memory_redo", { label: "notes" })).toContain("three");
    expect(await call("memory_rename", { label: "notes", new_label: "diary" })).toContain("block diary");
    expect(await call("memory_patch", { label: "diary", patch: { a: 1 } })).toContain("its value is a text");
    expect((await blocks.list()).map(({ label, description }) => [label, description])).toEqual([
      ["diary", "what I noted"],
    ]);
    expect(await call("memory_delete", { label: "diary" })).toBe("Deleted block diary.");
    expect(await call("memory_delete", { label: "diary" })).toBe("Block diary does not exist.");
  });

  it("patch a block with a schema", async () => {
    const blocks = new Blocks(await openAgent());
    const schema = { type: "object", properties: { age: { type: "integer" } } };
    await blocks.create("profile", { value: { age: 3 }, schema });
    const call = caller(blockTools(blocks));
    expect(await call("memory_patch", { label: "profile", patch: { age: 4 } })).toContain('"age": 4');
    expect(await call("memory_patch", { label: "profile", patch: { age: "old" } })).toContain("expected");
    expect((await blocks.read("profile"))!.value).toEqual({ age: 4 });
  });
});

describe("graph tools", () => {
  it("add, ask, search, look around, find a way, remove", async () => {
    const call = caller(graphTools(new KnowledgeGraph(await openAgent())));
    const works = { subject: "Ada", predicate: "works_at", object: "Acme" };
    const triples = [works, { subject: "Acme", predicate: "is_in", object: "Rome" }];
    expect(await call("graph_add", { triples })).toBe(
      "created: Ada | works_at | Acme\ncreated: Acme | is_in | Rome",
    );
    expect(await call("graph_add", { triples: [works] })).toBe("duplicate: Ada | works_at | Acme");
    expect(await call("graph_query", { subject: "Ada" })).toBe("1. Ada | works_at | Acme");
    expect(await call("graph_query", {})).toContain("2. Acme | is_in | Rome");
    expect(await call("graph_search", { query: "who works" })).toMatch(
      /^1\. Ada \| works_at \| Acme \(score 0\.\d\d\)/,
    );
    expect(await call("graph_neighbours", { node: "Acme", direction: "in" })).toBe(
      "1. Ada | works_at | Acme",
    );
    expect(await call("graph_paths", { from: "Ada", to: "Rome" })).toBe(
      "1. Ada | works_at | Acme; Acme | is_in | Rome",
    );
    expect(await call("graph_paths", { from: "Ada", to: "Mars" })).toBe("Nothing found.");
    const missing = { ...works, object: "Bell" };
    expect(await call("graph_remove", { triples: [works, missing] })).toBe(
      "removed: Ada | works_at | Acme\nnot found: Ada | works_at | Bell",
    );
  });

  it("are called by a model", async () => {
    const graph = new KnowledgeGraph(await openAgent());
    const triples = [{ subject: "Ada", predicate: "likes", object: "tea" }];
    const { model, meter } = await startModel([
      { calls: [{ name: "graph_add", arguments: { triples } }] },
      { text: "Noted." },
    ]);
    const messages = [{ role: "user" as const, content: "Ada likes tea" }];
    const agent = { model, messages, system: "Remember.", tools: graphTools(graph) };
    expect((await runAgent(agent, meter)).text).toBe("Noted.");
    expect((await graph.query()).triples).toMatchObject(triples);
  });
});

describe("entity tools", () => {
  it("are the nine of the MCP reference memory server", async () => {
    const call = caller(entityTools(new EntityGraph(await openAgent())));
    const entities = [{ name: "Ada", entityType: "person", observations: ["plays chess"] }];
    const relations = [{ from: "Ada", to: "Acme", relationType: "works_at" }];
    expect(JSON.parse(await call("create_entities", { entities }))).toEqual(entities);
    expect(JSON.parse(await call("create_relations", { relations }))).toEqual(relations);
    const observations = [{ entityName: "Ada", contents: ["sings"] }];
    expect(JSON.parse(await call("add_observations", { observations }))).toEqual({
      added: [{ entityName: "Ada", addedObservations: ["sings"] }],
      notFound: [],
    });
    const whole = { entities: [{ ...entities[0]!, observations: ["plays chess", "sings"] }], relations };
    expect(JSON.parse(await call("read_graph", {}))).toEqual({ ...whole, truncated: false });
    expect(JSON.parse(await call("search_nodes", { query: "chess" }))).toEqual(whole);
    expect(JSON.parse(await call("open_nodes", { names: ["Ada"] }))).toEqual(whole);
    const deletions = [{ entityName: "Ada", observations: ["sings", "dances"] }];
    expect(JSON.parse(await call("delete_observations", { deletions }))).toEqual({
      deleted: [{ entityName: "Ada", observation: "sings" }],
      notFound: [{ entityName: "Ada", observation: "dances" }],
    });
    expect(JSON.parse(await call("delete_relations", { relations }))).toEqual({
      deleted: relations,
      notFound: [],
    });
    expect(JSON.parse(await call("delete_entities", { entityNames: ["Ada", "Bob"] }))).toEqual({
      deleted: ["Ada"],
      notFound: ["Bob"],
    });
  });

  it("have schemas that providers accept", async () => {
    const memory = await openAgent();
    const tools = [
      ...coreMemoryTools(new Blocks(memory)),
      ...blockTools(new Blocks(memory)),
      ...graphTools(new KnowledgeGraph(memory)),
      ...entityTools(new EntityGraph(memory)),
    ];
    const declared = toOpenAiTools(tools);
    expect(declared).toHaveLength(3 + 9 + 6 + 9);
    expect(new Set(declared.map(({ function: { name } }) => name)).size).toBe(declared.length);
    for (const { function: declaration } of declared) {
      expect(declaration.parameters).toMatchObject({ type: "object" });
    }
  });
});
