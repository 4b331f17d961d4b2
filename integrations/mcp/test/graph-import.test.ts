import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
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

it("adds a file whose last line has no end, merges names, and reports the lines that it leaves out", async () => {
  const { code, stdout, stderr } = await imported(LINES.join("\n"), "old");
  expect([code, stdout]).toEqual([0, ""]);
  const [summary, ...skipped] = stderr.trim().split("\n");
  expect(summary).toBe("imported: 2 entities, 2 relations, 0 observations of entities that were there");
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

it("adds nothing twice, and only what is news to what is there", async () => {
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

it("takes over what the reference server has written", async () => {
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

it("says that there is no such file, and no bus", async () => {
  const missing = await endOf(fixture.spawn(["--graph", "--import", "none.jsonl"]));
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringMatching(/^membus-mcp: --import cannot be read: /),
  ]);
  const file = join(fixture.folder, "some.jsonl");
  await writeFile(file, LINES[0]!);
  const deaf = await endOf(fixture.spawn(["--graph", "--import", file, "--nats", "nats://127.0.0.1:9"]));
  expect([deaf.code, deaf.stderr]).toEqual([1, expect.stringContaining("127.0.0.1:9")]);
});
