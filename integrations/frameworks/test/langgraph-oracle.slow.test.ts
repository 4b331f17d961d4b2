import { afterAll, beforeAll, expect, it } from "vitest";
import { MembusSaver, MembusStore } from "../src/langgraph/index.js";
import { RealHost } from "./real-host.js";
import { SaverComparison } from "./saver-comparison.js";
import { StoreComparison } from "./store-comparison.js";

const host = new RealHost();
beforeAll(() => host.start());
afterAll(() => host.close());

const SEED = Number(process.env.MEMBUS_SEED ?? 1);

it(`behaves like LangGraph's own saver in 500 random operations of seed ${SEED}`, async () => {
  const comparison = new SaverComparison(SEED, new MembusSaver(await host.connect({ agent: "alice" })));
  for (let step = 0; step < 500; step++) await comparison.step();
  expect(comparison.seen.tuples).toBeGreaterThan(50);
  expect(comparison.seen.lists).toBeGreaterThan(25);
});

it(`behaves like LangGraph's own store in 500 random batches of seed ${SEED}`, async () => {
  const comparison = new StoreComparison(SEED, new MembusStore(await host.connect({ agent: "alice" })));
  for (let step = 0; step < 500; step++) await comparison.step();
  expect(comparison.seen.items).toBeGreaterThan(50);
  expect(comparison.seen.searches).toBeGreaterThan(100);
  expect(comparison.seen.namespaces).toBeGreaterThan(240);
});
