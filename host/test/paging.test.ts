import type { MemoryTier, Order } from "@membus/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

interface Listed {
  readonly tier: MemoryTier;
  readonly key_hash: string;
  readonly score: number;
  readonly occurred_at: number;
  readonly seq: number;
}

const TIER_ORDER = { working: 0, episodic: 1, semantic: 2 };

/** Order of the protocol, implemented independently. */
function before(a: Listed, b: Listed, order: Order): number {
  const sign = order === "oldest" ? 1 : -1;
  if (order === "relevance" && a.score !== b.score) return b.score - a.score;
  if (order !== "relevance" && a.occurred_at !== b.occurred_at) return sign * (a.occurred_at - b.occurred_at);
  if (order !== "relevance" && a.seq !== b.seq) return sign * (a.seq - b.seq);
  if (a.tier !== b.tier) return TIER_ORDER[a.tier] - TIER_ORDER[b.tier];
  return a.key_hash < b.key_hash ? -1 : 1;
}

const entry = fc.record({
  tier: fc.constantFrom("working", "episodic", "semantic"),
  key: fc.integer({ min: 0, max: 40 }).map((number) => ({ number })),
  content: fc.constantFrom("tea", "tea and milk", "milk"),
  importance: fc.constantFrom(0.25, 0.5, 1),
  occurred_at: fc.constantFrom(1, 2, 3),
});

async function startAll(options = {}) {
  const plugins = { working: new MapPlugin(), episodic: new MapPlugin(), semantic: new MapPlugin() };
  return HostFixture.start({ plugins, ...options });
}

async function readPages(fixture: HostFixture, fields: Record<string, unknown>) {
  const pages: { entries: Listed[]; cursor?: string; total: number }[] = [];
  do {
    const cursor = pages.at(-1)?.cursor;
    pages.push((await fixture.retrieve({ ...fields, cursor })) as never);
  } while (pages.at(-1)?.cursor !== undefined);
  return pages;
}

describe("pages", () => {
  it("follow the total order for all tiers, orders and limits", async () => {
    const order = fc.constantFrom<Order>("relevance", "newest", "oldest");
    const limit = fc.integer({ min: 1, max: 7 });
    const cases = fc.asyncProperty(
      fc.array(entry, { minLength: 1, maxLength: 40 }),
      order,
      limit,
      async (entries, order, limit) => {
        const fixture = await startAll();
        await fixture.store(entries);
        const query = order === "relevance" ? { query: "tea milk" } : {};
        const all = (await fixture.retrieve({ limit: 1_000, order, ...query })).entries as Listed[];
        const distinct = new Set(entries.map(({ tier, key }) => `${tier} ${key.number}`));
        expect(all).toHaveLength(distinct.size);
        expect(all).toEqual(all.toSorted((a, b) => before(a, b, order)));
        const pages = await readPages(fixture, { limit, order, ...query });
        expect(pages.flatMap(({ entries }) => entries)).toEqual(all);
        expect(new Set(pages.map(({ total }) => total))).toEqual(new Set([all.length]));
        expect(
          pages.every(({ entries }, index) => entries.length === limit || index >= pages.length - 2),
        ).toBe(true);
        await fixture.stop();
      },
    );
    await fc.assert(cases, { numRuns: 60 });
  });

  it.each([0, 20, 40, 60, 80, 700])(
    "are cut to the bus limit and still return every entry once, with %d characters per entry",
    async (length) => {
      const fixture = await startAll({ bus: { maxPayloadBytes: 4_096 } });
      for (let number = 0; number < 20; number++) {
        const tier = number % 2 === 0 ? "working" : "semantic";
        await fixture.store([{ key: { number }, content: "x".repeat(length), tier, occurred_at: number }]);
      }
      const pages = await readPages(fixture, { limit: 100, order: "oldest" });
      expect(pages.length).toBeGreaterThan(2);
      const numbers = pages.flatMap(({ entries }) => entries.map(({ occurred_at }) => occurred_at));
      expect(numbers).toEqual(Array.from({ length: 20 }, (_, number) => number));
      expect(pages.every(({ total }) => total === 20)).toBe(true);
    },
  );

  it("are too_large if not even one entry fits", async () => {
    const fixture = await startAll({ bus: { maxPayloadBytes: 4_096 } });
    await fixture.store([{ key: "a", content: "é".repeat(1_500) }]);
    const answer = await fixture.retrieve();
    expect(answer).toMatchObject({ code: "too_large", detail: { limit: "messageBytes", max: 3_072 } });
  });
});

describe("a cursor", () => {
  async function firstPage() {
    const fixture = await startAll();
    await fixture.store([1, 2, 3].map((number) => ({ key: { number }, content: number, tags: ["t"] })));
    const { cursor } = await fixture.retrieve({ limit: 1, tags: ["t"] });
    return { fixture, cursor: cursor as string };
  }

  it("requires the same criteria, with any limit", async () => {
    const { fixture, cursor } = await firstPage();
    expect((await fixture.retrieve({ limit: 5, tags: ["t"], cursor, x_trace: 1 })).entries).toHaveLength(2);
    const refused = { code: "schema_violation", detail: { path: "cursor" } };
    expect(await fixture.retrieve({ limit: 1, tags: ["u"], cursor })).toMatchObject(refused);
    expect(await fixture.retrieve({ limit: 1, cursor })).toMatchObject(refused);
  });

  it("shows another agent only its own entries", async () => {
    const { fixture, cursor } = await firstPage();
    expect(await fixture.retrieve({ limit: 1, tags: ["t"], cursor }, "bob")).toMatchObject({
      entries: [],
      total: 0,
    });
  });

  it("is absent if the page is complete, or only counts were requested", async () => {
    const { fixture } = await firstPage();
    expect(await fixture.retrieve({ limit: 3 })).not.toHaveProperty("cursor");
    expect(await fixture.retrieve({ limit: 0 })).toMatchObject({
      entries: [],
      total: 3,
      total_relation: "eq",
    });
    expect(await fixture.retrieve({ limit: 0 })).not.toHaveProperty("cursor");
  });

  it("is not needed for a request by keys", async () => {
    const fixture = await startAll();
    const keys = Array.from({ length: 15 }, (_, number) => ({ number }));
    await fixture.store(keys.map((key) => ({ key, content: 1 })));
    expect((await fixture.retrieve({ keys })).entries).toHaveLength(15);
    expect((await fixture.retrieve({})).entries).toHaveLength(10);
  });
});
