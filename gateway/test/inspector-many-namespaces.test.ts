import { KnowledgeGraph, MemoryFiles, openConversation } from "@membus/agentic";
import { afterAll, beforeAll, expect, it } from "vitest";
import { InspectedGateway } from "./inspected-gateway.js";

const fixture = new InspectedGateway();

/** More namespaces than one read of a host may cover. */
const NAMESPACES = 257;

beforeAll(async () => {
  await fixture.open();
  const store = (namespace: string, key: string) =>
    fixture.alice.inNamespace(namespace).store({ key, content: `${key} grows`, tier: "episodic" });
  const numbers = Array.from({ length: NAMESPACES }, (_, n) => n);
  await Promise.all(numbers.map((n) => store(`places/p${n}`, "oak")));
  await store("about/user:ada", "rose");
  await store("users/ada/notes", "tulip");
  const chat = await openConversation(fixture.alice, { id: "user:bob/chat" });
  await chat.add({ role: "user", content: "Hello" });
  await new MemoryFiles(fixture.alice).write("/trips/rome.md", "# Rome\n");
  await new KnowledgeGraph(fixture.alice).add({ subject: "oak", predicate: "is", object: "tree" });
});

afterAll(() => fixture.stop());

async function ask(path: string, params: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams({ tenant: "default", agent: "alice", ...params });
  const response = await fetch(`${fixture.url}/inspector/${path}?${query}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

it("lists the users that are found, and says that there may be more", async () => {
  const { status, body } = await ask("users");
  expect(status).toBe(200);
  expect((body.users as { name: string }[]).map(({ name }) => name).sort()).toEqual(["ada", "bob"]);
  expect(body.truncated).toBe(true);
});

it("shows a user, and says that there may be more", async () => {
  const { status, body } = await ask("user", { user: "ada" });
  expect(status).toBe(200);
  expect((body.places as { namespace: string }[]).map(({ namespace }) => namespace).sort()).toEqual([
    "about/user:ada",
    "users/ada/notes",
  ]);
  expect((body.entries as { key: object }[]).map(({ key }) => key)).toHaveLength(2);
  expect(body.truncated).toBe(true);
});

it("searches the namespaces of records, and says that others are not searched", async () => {
  const { status, body } = await ask("memories", { namespace: "**", q: "rose" });
  expect(status).toBe(200);
  expect(body.entries).toMatchObject([{ namespace: "about/user:ada" }]);
  expect(body).toMatchObject({ truncated: true, total_relation: "gte" });
});

it("lists the namespaces of records, and says that there are more", async () => {
  const { status, body } = await ask("namespaces");
  expect(status).toBe(200);
  expect((body.items as { value: string }[]).map(({ value }) => value)).toContain("about/user:ada");
  expect(body.truncated).toBe(true);
});

it("lists the files in the namespace of files, and reports that there may be more", async () => {
  const { status, body } = await ask("files");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    folders: [{ tier: "episodic", namespace: "files/trips", files: [{ path: "trips/rome.md" }] }],
    truncated: true,
    degraded: [],
  });
});

it("lists the graphs in the namespace of graphs", async () => {
  const { status, body } = await ask("graphs");
  expect(status).toBe(200);
  expect(body.graphs).toEqual([{ tier: "episodic", namespace: "graph", triples: 1 }]);
});
