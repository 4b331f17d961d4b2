import type { AgentMemory } from "@membus/agent-client";
import { expect, it } from "vitest";
import { forgetUser, KnowledgeGraph, Memory, renameUser } from "../src/index.js";
import { listUserEntries } from "../src/memory/user-entries.js";
import { openMemory } from "./memory-fixture.js";

/** Returns the memory of an agent with two users. Their names differ only in case. */
async function twoUsers(): Promise<AgentMemory> {
  const { memory: client } = await openMemory();
  for (const user of ["Ada", "ada"]) {
    await new Memory(client).add(`${user} prefers tea.`, { user });
    await new Memory(client).add([{ role: "user", content: `I am ${user}.` }], { user });
    await new KnowledgeGraph(client).add({ subject: user, predicate: "lives in", object: "Rome" });
  }
  return client;
}

/** Returns the subjects of all triples. */
async function subjects(client: AgentMemory): Promise<unknown[]> {
  const { entries } = await client.retrieve({ namespace: "graph", tier: "episodic" });
  return entries.map(({ metadata }) => metadata?.subject).sort();
}

async function countOf(client: AgentMemory, user: string): Promise<number> {
  return (await forgetUser(client, user, { dryRun: true })).deleted;
}

it.each(["Ada", "ada"])("forgets the user %s, and nothing of the user in another case", async (user) => {
  const client = await twoUsers();
  const other = user === "Ada" ? "ada" : "Ada";
  expect(await listUserEntries(client, user, { names: [], limit: 100 })).toHaveLength(4);
  const { byKind } = await forgetUser(client, user);
  expect(byKind).toEqual({ fact: 2, message: 1, triple: 1 });
  expect([await countOf(client, user), await countOf(client, other)]).toEqual([0, 4]);
  expect(await subjects(client)).toEqual([other]);
});

it("renames a user, and nothing of the user in another case", async () => {
  const client = await twoUsers();
  expect(await renameUser(client, "Ada", "Ann")).toEqual({ renamed: 4 });
  expect([await countOf(client, "Ann"), await countOf(client, "ada")]).toEqual([4, 4]);
  expect(await subjects(client)).toEqual(["Ann", "ada"]);
});

it("forgets the node in lower case, unless another user has this name", async () => {
  const { memory: client } = await openMemory();
  const graph = new KnowledgeGraph(client, { nodeCase: "lower" });
  await graph.add({ subject: "Ada", predicate: "lives in", object: "Rome" });
  expect(await countOf(client, "Ada")).toBe(1);
  await new Memory(client).add([{ role: "user", content: "Good morning" }], { user: "ada" });
  expect(await countOf(client, "Ada")).toBe(0);
  expect((await forgetUser(client, "Ada", { names: ["ada"], dryRun: true })).byKind).toMatchObject({
    triple: 1,
  });
});

it("forgets nodes in lower case with and without the prefix of users", async () => {
  const { memory: client } = await openMemory();
  const graph = new KnowledgeGraph(client, { nodeCase: "lower" });
  for (const subject of ["Ada", "user:Ada"]) await graph.add({ subject, predicate: "likes", object: "tea" });
  expect((await forgetUser(client, "Ada")).byKind).toEqual({ triple: 2 });
  expect(await subjects(client)).toEqual([]);
});

it("a rename keeps nodes in lower case", async () => {
  const { memory: client } = await openMemory();
  const graph = new KnowledgeGraph(client, { nodeCase: "lower" });
  await graph.add({ subject: "Ada", predicate: "lives in", object: "Rome" });
  await new Memory(client).add("Ada prefers tea.", { user: "Ada" });
  await renameUser(client, "Ada", "Ann");
  expect(await subjects(client)).toEqual(["ada"]);
});

it.each([
  [
    "a fact about it",
    { tier: "semantic", key: "f", content: "Tea", metadata: { kind: "fact", about: "user:ada" } },
  ],
  [
    "a block with its name",
    { tier: "semantic", key: "b", content: "Tea", metadata: { kind: "block", label: "ada" } },
  ],
] as const)("keeps the node of another user who has only %s", async (_, entry) => {
  const { memory: client } = await openMemory();
  await new KnowledgeGraph(client).add({ subject: "ada", predicate: "lives in", object: "Rome" });
  expect(await countOf(client, "Ada")).toBe(1);
  await client.store(entry);
  expect(await countOf(client, "Ada")).toBe(0);
});

it("forgets the node in lower case after the user of this name was forgotten", async () => {
  const { memory: client } = await openMemory();
  await new Memory(client).add("Tea is good.", { user: "ada" });
  await forgetUser(client, "ada");
  await new KnowledgeGraph(client, { nodeCase: "lower" }).add({
    subject: "Ada",
    predicate: "likes",
    object: "tea",
  });
  expect((await forgetUser(client, "Ada")).byKind).toEqual({ triple: 1 });
});

it("forgets a user with another name of the maximum length", async () => {
  const { memory: client } = await openMemory();
  await new Memory(client).add("Tea is good.", { user: "ada" });
  expect((await forgetUser(client, "ada", { names: [`A${"a".repeat(4_095)}`] })).deleted).toBe(1);
});
