import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, it } from "vitest";
import { z } from "zod";
import { exampleOf } from "../../docs/test/code-blocks.js";
import { openAgent } from "./agent-fixture.js";
import * as agentic from "./every-export.js";

const guide = (name: string) =>
  readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), "utf8");

/** The code below `<!-- example: name -->`, without its types, its imports and the line that connects. */
function runnable(page: string, name: string): string {
  const code = exampleOf(guide(page), name);
  const { outputText } = ts.transpileModule(code, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  return outputText.replaceAll(/^(import [^;]+|const memory = [^;]+|await memory\.close\(\));$/gm, "");
}

it("runs the examples of graph and blocks with the documented output", async () => {
  const written: unknown[] = [];
  const scope = {
    ...agentic,
    z,
    memory: await openAgent(),
    console: { log: (value: unknown) => written.push(value) },
  };
  const code = `${runnable("knowledge-graph", "graph")}\n${runnable("blocks", "blocks")}`;
  const run = new Function(
    ...Object.keys(scope),
    `return (async () => { ${code}; return { system, tools }; })()`,
  ) as (...values: unknown[]) => Promise<{ system: string; tools: unknown[] }>;
  const { system, tools } = await run(...Object.values(scope));
  expect(written[0]).toEqual(["Ada", "Acme", "London"]);
  expect(written[1]).toMatchObject({
    entities: [{ name: "Ada", entityType: "person", observations: ["plays chess"] }],
    relations: [{ from: "Ada", to: "Acme", relationType: "works_at" }],
  });
  expect(system).toContain("Name: Ada\nLikes tea\n</block>");
  expect(system).toContain("&quot;age&quot;: 36");
  expect(tools).toHaveLength(9);
});

it("runs the example of files with the documented output", async () => {
  const written: unknown[] = [];
  const scope = {
    ...agentic,
    memory: await openAgent(),
    console: { log: (...all: unknown[]) => written.push(...all) },
  };
  const run = new Function(
    ...Object.keys(scope),
    `return (async () => { ${runnable("files", "files")}; return fileToolSet; })()`,
  ) as (...values: unknown[]) => Promise<unknown[]>;
  expect(await run(...Object.values(scope))).toHaveLength(8);
  expect(written).toMatchObject([
    [
      { path: "/done/", count: 1 },
      { path: "/trips/", count: 1 },
    ],
    [
      { path: "/done/oslo.md", lines: [{ line: 2, text: "- ferry at eight" }] },
      { path: "/trips/rome.md", lines: [{ line: 2, text: "- train at ten" }] },
    ],
    "# Rome\n- train at ten\n",
  ]);
});

it("runs the example of lineage with the documented output", async () => {
  const written: unknown[][] = [];
  const scope = {
    ...agentic,
    memory: await openAgent(),
    console: { log: (...values: unknown[]) => written.push(values) },
  };
  const run = new Function(
    ...Object.keys(scope),
    `return (async () => { ${runnable("forgetting-a-user", "lineage")} })()`,
  ) as (...values: unknown[]) => Promise<void>;
  await run(...Object.values(scope));
  expect(written).toEqual([[3, [2]]]);
});

it("runs the example of time travel", async () => {
  const written: unknown[] = [];
  const scope = {
    ...agentic,
    client: await openAgent(),
    console: { log: (value: unknown) => written.push(value) },
  };
  const code = exampleOf(guide("time-travel"), "time-travel").replaceAll(
    /^(import [^;]+|const client = [^;]+|await client\.close\(\));$/gm,
    "",
  );
  const run = new Function(...Object.keys(scope), `return (async () => { ${code} })()`) as (
    ...values: unknown[]
  ) => Promise<void>;
  await run(...Object.values(scope));
  expect(written).toEqual(["Bob's manager is Grace", "Bob's manager is Ada"]);
});

it("deletes every entry of a user with the example of a shared agent", async () => {
  const memory = await openAgent();
  const { Blocks, KnowledgeGraph, LongTermMemory, MemoryFiles, openConversation } = agentic;
  await new LongTermMemory(memory, { subject: "user:ada" }).record("likes tea");
  await (await openConversation(memory, { id: "ada-1" })).add({ role: "user", content: "I like tea." });
  await new KnowledgeGraph(memory).add([
    { subject: "Ada", predicate: "likes", object: "tea" },
    { subject: "Bob", predicate: "knows", object: "Ada" },
  ]);
  await new Blocks(memory).create("ada", { value: "likes tea" });
  await new MemoryFiles(memory).write("/users/ada/tea.md", "likes tea");
  const run = new Function(
    ...["memory", "console", ...Object.keys(agentic)],
    `return (async () => { ${runnable("forgetting-a-user", "shared agent")} })()`,
  ) as (...values: unknown[]) => Promise<void>;
  const namespaces = async () => (await memory.list({ namespace: "**" })).items.map(({ value }) => value);
  const used = ["about/user:ada", "blocks", "conversations", "files/users/ada", "graph"];
  expect(await namespaces()).toEqual(used);
  const written: unknown[] = [];
  const console = { log: (counts: unknown) => written.push(counts) };
  await run(memory, console, ...Object.values(agentic));
  expect(await namespaces()).toEqual([]);
  expect(written).toEqual([{ block: 1, fact: 1, file: 1, message: 1, triple: 2 }]);
});
