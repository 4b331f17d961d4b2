import { KnowledgeGraph, Memory } from "@membus/agentic";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { UserForgetReply, UserReply } from "../src/inspector/inspector-api.js";
import { InspectedGateway } from "./inspected-gateway.js";

const gateway = new InspectedGateway();

beforeAll(async () => {
  await gateway.open({ inspector: true, inspectorEdit: true });
  for (const user of ["Ada", "ada"]) {
    await new Memory(gateway.alice).add(`${user} prefers tea.`, { user });
    await new KnowledgeGraph(gateway.alice).add({ subject: user, predicate: "lives in", object: "Rome" });
  }
  const lower = new KnowledgeGraph(gateway.alice, { nodeCase: "lower" });
  await lower.add({ subject: "Countess", predicate: "likes", object: "Byron" });
});
afterAll(() => gateway.stop());

async function ask<T>(path: string, body?: object): Promise<T> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const url = new URL(`/inspector/${path}`, gateway.url);
  url.searchParams.set("tenant", "default");
  url.searchParams.set("agent", "alice");
  return (await (await fetch(url, body && init)).json()) as T;
}

it.each([
  ["Ada", ["Ada lives in Rome", "Ada prefers tea."]],
  ["ada", ["ada lives in Rome", "ada prefers tea."]],
])("the page of %s has nothing of the user in another case", async (user, texts) => {
  const { entries, names } = await ask<UserReply>(`user?user=${user}`);
  expect(entries.map(({ text }) => text).sort()).toEqual(texts);
  expect(names).toEqual(["ADA"]);
  const preview = await ask<UserForgetReply>("user/forget/preview", { user });
  expect(preview.byKind).toEqual({ fact: 1, triple: 1 });
});

it("finds the nodes of other names in lower case", async () => {
  const { entries } = await ask<UserReply>("user?user=eve&names=Countess");
  expect(entries.map(({ text }) => text)).toEqual(["countess likes byron"]);
});

it("shows the nodes in lower case that a forget deletes", async () => {
  const graph = new KnowledgeGraph(gateway.alice, { nodeCase: "lower" });
  await graph.add({ subject: "Grace", predicate: "likes", object: "tea" });
  await graph.add({ subject: "user:Grace", predicate: "lives in", object: "Paris" });
  const { entries } = await ask<UserReply>("user?user=Grace");
  expect(entries.map(({ text }) => text).sort()).toEqual(["grace likes tea", "user:grace lives in paris"]);
  const { byKind } = await ask<UserForgetReply>("user/forget/preview", { user: "Grace" });
  expect(byKind).toEqual({ triple: 2 });
});

it("shows no node in lower case if a conversation in any namespace is with a user of this name", async () => {
  const graph = new KnowledgeGraph(gateway.alice, { nodeCase: "lower" });
  await graph.add({ subject: "Mary", predicate: "likes", object: "tea" });
  await gateway.alice.inNamespace("support").store({
    key: { conversation: "user:mary", message: "m1" },
    content: { role: "user", content: "Hello" },
    metadata: { kind: "message", role: "user", marks: [] },
    group: "user:mary",
    tier: "episodic",
  });
  expect(await ask<UserReply>("user?user=Mary")).toMatchObject({ entries: [], names: ["MARY"] });
  const { byKind } = await ask<UserForgetReply>("user/forget/preview", { user: "Mary" });
  expect(byKind).toEqual({});
});
