import { afterAll, beforeAll, expect, it } from "vitest";
import { MembusSaver, MembusStore } from "../src/langgraph/index.js";
import { RealHost } from "./real-host.js";
import { SaverComparison } from "./saver-comparison.js";
import { StoreComparison } from "./store-comparison.js";

// The slow test runs 1,000 of each: langgraph-oracle.slow.test.ts

const host = new RealHost();
beforeAll(() => host.start());
afterAll(() => host.close());

it("behaves like LangGraph's own saver in 250 random operations", async () => {
  const comparison = new SaverComparison(1, new MembusSaver(await host.connect({ agent: "alice" })));
  for (let step = 0; step < 250; step++) await comparison.step();
  expect(comparison.seen.tuples).toBeGreaterThan(25);
  expect(comparison.seen.lists).toBeGreaterThan(12);
});

it("behaves like LangGraph's own store in 250 random batches", async () => {
  const comparison = new StoreComparison(1, new MembusStore(await host.connect({ agent: "alice" })));
  for (let step = 0; step < 250; step++) await comparison.step();
  expect(comparison.seen.items).toBeGreaterThan(25);
  expect(comparison.seen.searches).toBeGreaterThan(60);
  expect(comparison.seen.namespaces).toBeGreaterThan(120);
});
