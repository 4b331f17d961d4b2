import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openFixture } from "../../../agent-client/test/client-fixture.js";
import { storeAll } from "../../../agent-client/test/scripted-host.js";
import { importGraph } from "../src/graph/import-jsonl.js";
import { referenceGraph } from "../src/graph/reference-graph.js";
import { startReference } from "./graph-oracle.js";
import { endOf, McpFixture } from "./mcp-fixture.js";

const fixture = new McpFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

async function imported(text: string, namespace: string) {
  const file = join(fixture.folder, `${namespace}.jsonl`);
  await writeFile(file, text);
  return endOf(fixture.spawn(["--graph", "--namespace", namespace, "--import", file]));
}

const graphOf = async (namespace: string) => {
  const client = await fixture.client("stdio", "former", ["--graph", "--namespace", namespace]);
  return (await client.call("read_graph")).structured;
};

const LINES = [
  '{"type":"entity","name":"Ada","entityType":"person","observations":["plays chess"]}',
  "{broken",
  '{"type":"entity","name":"Bob","entityType":"person"}',
  '{"type":"entity","name":"Ada","entityType":"robot","observations":["beeps","plays chess"]}',
  '{"type":"entity","entityType":"person","observations":[]}',
  '{"type":"relation","from":"Ada","to":"Bob","relationType":"knows"}',
  "",
  '{"type":"other"}',
  '{"type":"relation","from":"Ada","to":"Nobody","relationType":"seeks"}',
];

it("imports a file without a final line end, merges entities of one name, and reports skipped lines", async () => {
  const { code, stdout, stderr } = await imported(LINES.join("\n"), "old");
  expect([code, stdout]).toEqual([0, ""]);
  const [summary, ...skipped] = stderr.trim().split("\n");
  expect(summary).toBe("imported: 2 entities, 2 relations, 0 observations of existing entities");
  expect(skipped.map((line) => line.slice(0, 16))).toEqual([
    "skipped: line 2:",
    "skipped: line 5:",
    "skipped: line 8:",
  ]);
  expect(await graphOf("old")).toEqual({
    entities: [
      { name: "Ada", entityType: "person", observations: ["plays chess", "beeps"] },
      { name: "Bob", entityType: "person", observations: [] },
    ],
    relations: [
      { from: "Ada", to: "Bob", relationType: "knows" },
      { from: "Ada", to: "Nobody", relationType: "seeks" },
    ],
  });
});

it("adds nothing twice, and only new observations to existing entities", async () => {
  await imported(LINES.join("\n"), "again");
  const before = await graphOf("again");
  expect((await imported(LINES.join("\n"), "again")).stderr).toMatch(
    /^imported: 0 entities, 0 relations, 0 obs/,
  );
  expect(await graphOf("again")).toEqual(before);
  const more = '{"type":"entity","name":"Bob","entityType":"x","observations":["waits"]}';
  expect((await imported(more, "again")).stderr).toMatch(
    /^imported: 0 entities, 0 relations, 1 observations/,
  );
});

it("reports items that are too large, and adds all others", async () => {
  const wide = Array.from({ length: 100 }, (_, number) => `${number} ${"x".repeat(2_900)}`);
  const entity = (name: string, observations: readonly string[] = []) =>
    JSON.stringify({ type: "entity", name, entityType: "person", observations });
  const relation = (to: string) =>
    JSON.stringify({ type: "relation", from: "Ada", to, relationType: "knows" });
  const first = [entity("Eve", wide.slice(0, 50))];
  expect((await imported(first.join("\n"), "large")).stderr).toMatch(/^imported: 1 entities/);
  const lines = [
    entity("Ada"),
    "{broken",
    entity("Bob", wide),
    entity("y".repeat(5_000)),
    entity("Eve", wide.slice(50)),
    relation("z".repeat(5_000)),
    relation("Bob"),
  ];
  const { code, stderr } = await imported(lines.join("\n"), "large");
  const [summary, ...skipped] = stderr.trim().split("\n");
  expect(code).toBe(0);
  expect(summary).toBe("imported: 1 entities, 1 relations, 0 observations of existing entities");
  expect(skipped).toEqual([
    expect.stringMatching(/^skipped: line 2: /),
    expect.stringMatching(/^skipped: entity "Bob": .*\(too_large\)/),
    expect.stringMatching(/^skipped: entity "y{80}": .*\(too_large\)/),
    expect.stringMatching(/^skipped: entity "Eve": .*\(too_large\)/),
    expect.stringMatching(/^skipped: relation "Ada knows z{70}": .*\(too_large\)/),
  ]);
  const flags = ["--graph", "--namespace", "large", "--graph-chars-max", "1000000"];
  const client = await fixture.client("stdio", "former", flags);
  expect((await client.call("read_graph")).structured).toEqual({
    entities: [
      { name: "Eve", entityType: "person", observations: wide.slice(0, 50) },
      { name: "Ada", entityType: "person", observations: [] },
    ],
    relations: [{ from: "Ada", to: "Bob", relationType: "knows" }],
  });
});

it("reports an entity with a key that another entry uses", async () => {
  const memory = await fixture.memory("occupied");
  await memory.store({ key: { graph: "entity", name: "Ada" }, content: "a note", tier: "episodic" });
  const { code, stderr } = await imported(LINES.join("\n"), "occupied");
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^imported: 1 entities, 2 relations, 0 obs/)]);
  expect(stderr).toContain('skipped: entity "Ada": Entity with name Ada not found\n');
});

it("ends if an item cannot be stored for a temporary reason", async () => {
  const { client, clock, host } = await openFixture();
  host.answer = (message) => {
    const [ada] = message.entries as object[];
    return storeAll({ entries: [ada, { key: { name: "Bob" }, content: { refuse: "unavailable" } }] });
  };
  const entities = ["Ada", "Bob"].map((name) => ({ name, entityType: "person", observations: [] }));
  const problems: string[] = [];
  const importing = importGraph(
    referenceGraph(client, "episodic", clock),
    { entities, relations: [] },
    (problem) => problems.push(problem),
  );
  await expect(importing).rejects.toMatchObject({ code: "unavailable", message: "refused with unavailable" });
  expect([problems, host.requests.length]).toEqual([[], 1]);
});

it("imports a file of the reference server", async () => {
  const reference = await startReference();
  await reference.client.call("create_entities", {
    entities: [{ name: "Zoë\n", entityType: "person", observations: ["é", '"'] }],
  });
  await reference.client.call("create_relations", {
    relations: [{ from: "Zoë\n", to: "b", relationType: "r" }],
  });
  const { structured } = await reference.client.call("read_graph");
  const run = await endOf(fixture.spawn(["--graph", "--namespace", "taken", "--import", reference.file]));
  await reference.stop();
  expect(run.code).toBe(0);
  expect(await graphOf("taken")).toEqual(structured);
});

it("reports a missing file, and a missing bus", async () => {
  const missing = await endOf(fixture.spawn(["--graph", "--import", "none.jsonl"]));
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringMatching(/^membus-mcp: cannot read --import: /),
  ]);
  const file = join(fixture.folder, "some.jsonl");
  await writeFile(file, LINES.slice(0, 2).join("\n"));
  const deaf = await endOf(fixture.spawn(["--graph", "--import", file, "--nats", "nats://127.0.0.1:9"]));
  expect([deaf.code, deaf.stderr]).toEqual([1, expect.stringContaining("127.0.0.1:9")]);
  expect(deaf.stderr).toContain("skipped: line 2: ");
});
