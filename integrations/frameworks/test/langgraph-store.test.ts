import { randomUUID } from "node:crypto";
import { Annotation, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";
import { InvalidNamespaceError, type Operation } from "@langchain/langgraph-checkpoint";
import type { MemoryClient } from "@membus/agent-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MembusStore, type StoreOptions } from "../src/langgraph/index.js";
import { RealHost } from "./real-host.js";

const host = new RealHost();
let memory: MemoryClient;
beforeAll(async () => {
  await host.start();
  memory = await host.connect({ agent: "alice" });
});
afterAll(() => host.close());

function openStore(options: StoreOptions = {}): { store: MembusStore; namespace: string } {
  const namespace = `stores/${randomUUID()}`;
  return { store: new MembusStore(memory, { namespace, ...options }), namespace };
}

const keysOf = (items: readonly { key: string }[]) => items.map(({ key }) => key);
const entriesIn = async (namespace: string) => (await memory.retrieve({ namespace, limit: 0 })).total;

describe("a store", () => {
  it("does not find namespaces that share only a name prefix", async () => {
    const { store } = openStore();
    for (const tenant of ["acme", "acme-corp", "ac"]) await store.put([tenant, "notes"], "plan", { tenant });
    const tenants = async (prefix: string[], query?: string) =>
      (await store.search(prefix, { ...(query && { query }) })).map(({ value }) => value.tenant);
    expect(await tenants(["acme"])).toEqual(["acme"]);
    expect(await tenants(["acme-corp"])).toEqual(["acme-corp"]);
    expect(await tenants(["acme"], "acme-corp plan")).toEqual(["acme"]);
    expect(await store.listNamespaces({ prefix: ["acme"] })).toEqual([["acme", "notes"]]);
    await store.delete(["acme", "notes"], "plan");
    expect(await tenants([])).toEqual(["acme-corp", "ac"]);
  });

  it("returns matches of a query, best first, with scores", async () => {
    const { store } = openStore();
    await store.put(["facts"], "1", { text: "Ada drinks green tea in the morning", topic: "drinks" });
    await store.put(["facts"], "2", { text: "The train leaves at nine", topic: "travel" });
    await store.put(["facts"], "3", { text: "Tea is grown in Assam", topic: "travel" });
    const found = await store.search(["facts"], { query: "which tea does Ada drink" });
    expect(keysOf(found)[0]).toBe("1");
    expect(keysOf(found)).toContain("3");
    expect(found.map(({ score }) => score!)).toEqual(found.map(({ score }) => score!).sort((a, b) => b - a));
    expect(found[0]!.score).toBeGreaterThan(0.3);
    const travel = await store.search(["facts"], { query: "tea", filter: { topic: "travel" } });
    expect(keysOf(travel)[0]).toBe("3");
    expect(keysOf(await store.search(["facts"], { query: "tea", limit: 1, offset: 1 }))).toHaveLength(1);
    expect(keysOf(await store.search(["facts"], { query: "drinks" }))[0]).toBe("1");
  });

  it("finds an entry by its indexed paths, and not without an index", async () => {
    const { store } = openStore({ index: ["title", "chapters[*].text", "authors[-1]"] });
    const value = {
      title: "Tides",
      chapters: [{ text: "moonlight" }, { text: "harbours" }],
      authors: ["Hopper", "Lovelace"],
      hidden: "zebra",
    };
    await store.put(["books"], "b", value);
    const scores = async (query: string) =>
      (await store.search(["books"], { query, limit: 1 }))[0]?.score ?? 0;
    for (const word of ["Tides", "harbours", "moonlight", "Lovelace"])
      expect(await scores(word)).toBeGreaterThan(0.5);
    for (const word of ["zebra", "Hopper"]) expect(await scores(word)).toBeLessThan(0.3);
    await store.put(["books"], "b", value, ["hidden"]);
    expect(await scores("zebra")).toBeGreaterThan(0.5);
    await store.put(["books"], "b", value, false);
    expect(await store.search(["books"], { query: "zebra moonlight Tides" })).toEqual([]);
    expect(await store.get(["books"], "b")).toMatchObject({ value });
  });

  it("belongs to its agent, unless the tier is shared", async () => {
    const bob = await host.connect({ agent: "bob" });
    const { store, namespace } = openStore();
    await store.put(["n"], "k", { of: "alice" });
    expect(await new MembusStore(bob, { namespace }).get(["n"], "k")).toBeNull();
    const shared = { namespace, tier: "semantic" } as const;
    await new MembusStore(memory, shared).put(["n"], "k", { of: "all" });
    expect((await new MembusStore(bob, shared).get(["n"], "k"))!.value).toEqual({ of: "all" });
  });
});

describe("a store rejects", () => {
  it.each([
    [{ topic: { $regex: "t" } }, "unknown operator `$regex`"],
    [{ topic: { $gt: 1, below: 2 } }, "unknown operator `below`"],
    [{ $or: [{ a: 1 }] }, "unknown operator `$or`"],
    [{ n: { $gtt: 1 } }, "did you mean `$gt`"],
  ])("a filter that would match nothing: %j", async (filter, message) => {
    const { store } = openStore();
    await expect(store.search(["n"], { filter })).rejects.toThrow(message);
  });

  it("the whole batch if one operation is invalid, and stores nothing", async () => {
    const { store, namespace } = openStore();
    const put = { namespace: ["n"], key: "k", value: { a: 1 } };
    const wrong: Operation[] = [
      { namespace: ["a.b"], key: "k", value: {} },
      { namespace: [], key: "k" },
      { namespacePrefix: [""] },
      { namespacePrefix: ["n"], filter: { a: { $near: 1 } } },
      { namespace: ["n"], key: "k2", value: { big: 1n } },
      { namespace: ["n"], key: "k2", value: {}, index: ["a[b]"] },
      { matchConditions: [{ matchType: "infix" as "prefix", path: ["n"] }], limit: 1, offset: 0 },
      {} as Operation,
    ];
    for (const operation of wrong) await expect(store.batch([put, operation])).rejects.toThrow();
    expect(await entriesIn(namespace)).toBe(0);
    await expect(store.put(["langgraph"], "k", {})).rejects.toThrow(InvalidNamespaceError);
    expect(() => openStore({ ttll: 3 } as StoreOptions)).toThrow("did you mean `ttl`");
    expect(() => openStore({ index: ["a..b"] })).toThrow("is not a path");
  });

  it("a value that the host rejects", async () => {
    const { store } = openStore();
    await expect(store.put(["n"], "k".repeat(5_000), { a: 1 })).rejects.toMatchObject({
      name: "MemoryError",
    });
  });
});

describe("a value", () => {
  it("is returned as a copy in JSON", async () => {
    const { store } = openStore();
    const value = { at: new Date(0), none: undefined, not: Number.NaN, list: [undefined] };
    await store.put(["n"], "k", value);
    const { value: stored } = (await store.get(["n"], "k"))!;
    expect(stored).toEqual({ at: "1970-01-01T00:00:00.000Z", not: null, list: [null] });
    stored.at = "changed";
    expect((await store.get(["n"], "k"))!.value.at).toBe("1970-01-01T00:00:00.000Z");
  });

  it("may have any size, and leaves no entries when it is replaced or deleted", async () => {
    const { store, namespace } = openStore();
    const long = { text: "a long story about harbours. ".repeat(30_000) };
    for (const last of [{ text: "short" }, null]) {
      await store.put(["n"], "k", long);
      await store.put(["n"], "other", { text: "trains" });
      expect((await store.get(["n"], "k"))!.value).toEqual(long);
      expect(await entriesIn(namespace)).toBeGreaterThan(4);
      expect(keysOf(await store.search(["n"], { query: "harbours" }))[0]).toBe("k");
      expect(keysOf(await store.search([]))).toEqual(["k", "other"]);
      await store.batch([{ namespace: ["n"], key: "k", value: last }]);
      expect(await entriesIn(namespace)).toBe(last === null ? 1 : 2);
      if (last !== null) await store.delete(["n"], "k");
      await store.delete(["n"], "other");
    }
  });

  it("is found by any of many fields", async () => {
    const { store } = openStore();
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, n]));
    await store.put(["n"], "many", many);
    await store.put(["n"], "few", { f99: 99 });
    await store.put(["n"], "other", { f99: 98 });
    expect(keysOf(await store.search(["n"], { filter: { f99: 99 } }))).toEqual(["many", "few"]);
  });

  it("ends after its ttl", async () => {
    const { store, namespace } = openStore({ ttl: 60 });
    await store.put(["n"], "k", { a: 1 });
    const { entries } = await memory.retrieve({ namespace });
    expect(entries.map(({ ttl }) => ttl)).toEqual([60]);
  });
});

it("accepts batches that are larger than a request", async () => {
  const { store } = openStore();
  const numbers = Array.from({ length: 1_500 }, (_, n) => n);
  await store.batch(numbers.map((n) => ({ namespace: ["many"], key: `k${n}`, value: { n } })));
  const items = await store.batch(numbers.map((n) => ({ namespace: ["many"], key: `k${n}` })));
  expect(items.map((item) => item?.value.n)).toEqual(numbers);
  expect(await store.search(["many"], { limit: 2_000, filter: { n: { $gte: 1_000 } } })).toHaveLength(500);
});

it("works in the nodes of a graph", async () => {
  const { store } = openStore();
  const State = Annotation.Root({ said: Annotation<string>, known: Annotation<string[]> });
  const graph = new StateGraph(State)
    .addNode("note", async ({ said }, { store }: LangGraphRunnableConfig) => {
      await Promise.all([
        store!.put(["notes", "ada"], "last", { said }),
        store!.put(["notes", "bob"], "x", { said }),
      ]);
    })
    .addNode("look", async ({ said }, { store }: LangGraphRunnableConfig) => {
      const found = await store!.search(["notes", "ada"], { query: said });
      return { known: found.map(({ value }) => String(value.said)) };
    })
    .addEdge(START, "note")
    .addEdge("note", "look")
    .compile({ store });
  expect(await graph.invoke({ said: "I drink tea" })).toEqual({
    said: "I drink tea",
    known: ["I drink tea"],
  });
});
