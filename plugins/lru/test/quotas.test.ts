import { describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import type { ScopeFields } from "../../kit/test/kit-requests.js";
import { createLruPlugin } from "../src/index.js";
import { openLru } from "./lru-fixture.js";

const WORKING: ScopeFields = { tier: "working" };

async function filled(
  quotas: Parameters<typeof openLru>[1],
  count: number,
  placeOf: (at: number) => ScopeFields,
) {
  const lru = await openLru({}, quotas);
  const requests = calls(lru, WORKING);
  const bob = calls(lru, { ...WORKING, agent: "bob" });
  await bob.store([{ key: "bob", content: "what bob has to know" }]);
  for (let at = 0; at < count; at++) await requests.store([{ key: `k${at}` }], placeOf(at));
  expect((await bob.retrieve()).total).toBe(1);
  return { ...lru, ...requests };
}

describe("an agent's quota", () => {
  it("of entries evicts its least recently used entries, and no others", async () => {
    const lru = await filled({ agent: { entries: 3 } }, 5, () => ({}));
    expect(lru.changes.map(({ key, action }) => [key.name, action])).toEqual([
      ["k0", "evicted"],
      ["k1", "evicted"],
    ]);
    expect(lru.plugin.stats!()).toMatchObject({ lru_entries: 4, lru_evicted_by_quota: 2 });
  });

  it("of bytes limits its memory", async () => {
    const lru = await openLru({}, { agent: { bytes: 100_000 } });
    for (let at = 0; at < 50; at++) {
      await calls(lru, WORKING).store([{ key: `k${at}`, content: "x".repeat(5_000) }]);
    }
    await lru.plugin.maintain!();
    expect(lru.plugin.stats!().lru_bytes).toBeLessThanOrEqual(100_000);
    expect(lru.plugin.stats!().lru_entries).toBeGreaterThan(15);
  });

  it.each([
    ["namespaces", (at: number) => ({ namespace: `n${at}` })],
    ["sessions", (at: number) => ({ session: `s${at}` })],
  ] as const)("of %s evicts the least recently used ones", async (what, placeOf) => {
    const lru = await filled({ agent: { [what]: 3 } }, 3, placeOf);
    await calls(lru, { ...WORKING, ...placeOf(0) }).entry("k0");
    await lru.store([{ key: "k3" }], placeOf(3));
    const totals = await Promise.all(
      [0, 1, 2, 3].map(async (at) => (await lru.retrieve({}, placeOf(at))).total),
    );
    expect(totals).toEqual([1, 0, 1, 1]);
    expect(lru.plugin.stats!().lru_scopes).toBe(4);
  });
});

describe("a tenant's quota", () => {
  it.each([
    ["entries", () => ({})],
    ["namespaces", (at: number) => ({ namespace: `n${at}` })],
  ] as const)("of %s evicts from the agent with the most", async (what, placeOf) => {
    const lru = await filled({ tenant: { [what]: 10 } }, 30, placeOf);
    expect(lru.plugin.stats!().lru_entries).toBe(10);
    expect(new Set(lru.changes.map(({ author }) => author))).toEqual(new Set(["alice"]));
  });

  it("by name replaces the general one", async () => {
    const quotas = { agent: { entries: 2 }, agents: { "acme.alice": { entries: 5 } } };
    expect((await filled(quotas, 9, () => ({}))).plugin.stats!().lru_entries).toBe(6);
    expect(
      (await filled({ ...quotas, agents: { "acme.alice": {} } }, 9, () => ({}))).plugin.stats!().lru_entries,
    ).toBe(10);
  });
});

it.each([
  [{ agent: { entries: 0 } }, "quotas.agent.entries must be an integer of 1..1000000000, got 0"],
  [{ tenants: { acme: { byte: 1 } } }, "quotas.tenants.acme: unknown option `byte` (did you mean `bytes`?)"],
  [{ agnet: {} }, "quotas: unknown option `agnet` (did you mean `agent`?)"],
])("an invalid quota is refused: %j", (quotas, message) => {
  expect(() => createLruPlugin({}, undefined, quotas as never)).toThrow(message);
});
