import { type AgentMemory, MemoryClient } from "@membus/agent-client";
import { KnowledgeGraph } from "@membus/agentic";
import { createHost } from "@membus/host";
import { createLruPlugin } from "@membus/plugin-lru";
import { keyHash } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { listGraphs, listNames, readNeighbourhood } from "../src/inspector/graph.js";
import type { NeighbourhoodReply } from "../src/inspector/inspector-api.js";
import { GatewayFixture } from "./gateway-fixture.js";
import { tellTalk } from "./sample-conversations.js";

const fixture = new GatewayFixture();
let memory: AgentMemory;

const GRAPH = { tier: "episodic", namespace: "graph" };
const query = (fields: Record<string, string> = {}) => new URLSearchParams(fields);
const around = (fields: Record<string, string>) => readNeighbourhood(memory, query(fields));

beforeAll(async () => {
  await fixture.start();
  memory = await MemoryClient.connect({ bus: await fixture.bus(), agent: "alice", timeoutMs: 60_000 });
  await tellTalk(memory);
});

afterAll(() => fixture.stop());

/** `text -label-> text`, sorted. */
function lines({ nodes, edges }: NeighbourhoodReply): string[] {
  const text = (id: string) => nodes.find((node) => node.id === id)!.text;
  return edges.map(({ from, to, label }) => `${text(from)} -${label}-> ${text(to)}`).sort();
}

describe("graphs", () => {
  it("are listed with tier, namespace and size", async () => {
    expect(await listGraphs(memory)).toEqual({ graphs: [{ ...GRAPH, triples: 4 }] });
  });

  it("are empty for an agent without triples", async () => {
    expect(await listGraphs(memory.forAgent("bob"))).toEqual({ graphs: [] });
  });

  it("are limited to the served tiers", async () => {
    const bus = await fixture.bus();
    const options = { prefix: "small" };
    const host = createHost(
      { bus, plugins: { working: createLruPlugin() }, logger: fixture.logger },
      options,
    );
    await host.start();
    const small = await MemoryClient.connect({ bus, agent: "alice", ...options });
    await new KnowledgeGraph(small, { tier: "working" }).add({ subject: "a", predicate: "is", object: "b" });
    expect(await listGraphs(small)).toEqual({
      graphs: [{ tier: "working", namespace: "graph", triples: 1 }],
    });
    await host.stop();
  });

  it("have frequent names, and names that match words", async () => {
    const { names } = await listNames(memory, query(GRAPH));
    expect(names[0]).toEqual({ name: "Rome", triples: 2 });
    expect(names.map(({ name }) => name).sort()).toEqual(["Italy", "Rome", "Tiber"]);
    const found = await listNames(memory, query({ ...GRAPH, words: "which river flows", limit: "1" }));
    expect(found).toEqual({ names: [{ name: "Tiber" }] });
  });
});

describe("the neighbourhood of a name", () => {
  it("contains adjacent names and descriptions", async () => {
    const found = await around({ ...GRAPH, name: "Rome" });
    expect(lines(found)).toEqual([
      "Rome -capital_of-> Italy",
      "Rome entity type city -entity_type-> Rome",
      "Tiber -flows_through-> Rome",
    ]);
    expect(found).toMatchObject({ centre: "name/episodic/graph/Rome", truncated: false, degraded: [] });
    expect(found.nodes[0]).toEqual({
      id: "name/episodic/graph/Rome",
      kind: "name",
      text: "Rome",
      tier: "episodic",
      namespace: "graph",
      distance: 0,
    });
  });

  it("covers two steps on request", async () => {
    const found = await around({ ...GRAPH, name: "Tiber", depth: "2" });
    expect(lines(found)).toEqual([
      "Rome -capital_of-> Italy",
      "Rome entity type city -entity_type-> Rome",
      "Tiber -flows_through-> Rome",
    ]);
    expect(found.nodes.find(({ text }) => text === "Italy")).toMatchObject({ distance: 2 });
  });

  it("has at most the requested number of nodes, and reports that it is truncated", async () => {
    const found = await around({ ...GRAPH, name: "Rome", limit: "2" });
    expect(found.nodes.length).toBe(2);
    expect(found.edges.length).toBe(1);
    expect(found.truncated).toBe(true);
  });

  it("has at most 200 nodes", async () => {
    const bob = memory.forAgent("bob");
    const spokes = Array.from({ length: 300 }, (_, n) => ({
      subject: "hub",
      predicate: "has",
      object: `spoke ${n}`,
    }));
    await new KnowledgeGraph(bob).add(spokes);
    const found = await readNeighbourhood(bob, query({ ...GRAPH, name: "hub", depth: "2", limit: "200" }));
    expect([found.nodes.length, found.edges.length, found.truncated]).toEqual([200, 199, true]);
  });

  it.each([
    ["memory_not_found", { ...GRAPH, name: "Atlantis" }],
    ["memory_not_found", { entry: "0".repeat(64) }],
    ["schema_violation", { namespace: "graph", name: "Rome" }],
    ["schema_violation", { ...GRAPH, name: "Rome", depth: "3" }],
    ["schema_violation", { ...GRAPH, name: "Rome", limit: "201" }],
    ["schema_violation", GRAPH],
  ] as const)("is %s for %o", async (code, fields) => {
    await rejection(around(fields), code);
  });
});

describe("the neighbourhood of an entry", () => {
  const m1 = keyHash({ conversation: "trip", message: "m1" });

  it("contains derived entries", async () => {
    const found = await around({ entry: m1 });
    expect(lines(found)).toEqual([
      "They talked about trains to Rome. -derived from-> I live in Rome and like trains.",
      "lives in Rome -derived from-> I live in Rome and like trains.",
    ]);
    const fact = found.nodes.find(({ text }) => text === "lives in Rome");
    expect(fact).toMatchObject({
      kind: "entry",
      record: "fact",
      tier: "episodic",
      namespace: "about/user:abc123",
      distance: 1,
    });
  });

  it("contains its sources, and the names of a triple", async () => {
    const key = { subject: "Tiber", predicate: "flows_through", object: "Rome" };
    const found = await around({ ...GRAPH, entry: keyHash(key) });
    expect(lines(found)).toEqual([
      "Tiber flows through Rome -derived from-> Thanks. Which river flows there?",
      "Tiber flows through Rome -derived from-> The Tiber.",
      "Tiber flows through Rome -object-> Rome",
      "Tiber flows through Rome -subject-> Tiber",
    ]);
  });

  it("contains further entries derived from its sources on the second step", async () => {
    const fact = (await around({ entry: m1 })).nodes.find(({ text }) => text === "lives in Rome")!;
    const { key_hash } = fact as { readonly key_hash?: string };
    const found = await around({ entry: key_hash!, depth: "2" });
    expect(lines(found)).toContain(
      "They talked about trains to Rome. -derived from-> I live in Rome and like trains.",
    );
  });

  it("does not contain entries of other agents", async () => {
    await rejection(readNeighbourhood(memory.forAgent("bob"), query({ entry: m1 })), "memory_not_found");
  });
});
