import type { MemoryEntry } from "@membus/protocol";
import { comparePositions, type PluginRetrieveRequest, positionOf } from "@membus/protocol/plugin";
import fc from "fast-check";
import { expect, it } from "vitest";
import { cleanUp } from "./kit-fixture.js";
import { kitWith } from "./steering-fixture.js";

const WORDS = ["heron", "lake", "fish", "nest", "rain", "stone"];
const NOW = 1_800_000_000;

const entry = fc.record({
  content: fc
    .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 })
    .map((words) => words.join(" ")),
  group: fc.option(fc.constantFrom("g", "h"), { nil: undefined }),
  importance: fc.constantFrom(0, 0.5, 1),
  occurred_at: fc.integer({ min: NOW - 1_000, max: NOW + 10 }),
});
const entries = fc
  .array(entry, { maxLength: 40 })
  .map((all) => all.map((fields, index) => ({ ...fields, key: `k${index}` })));

const request = fc.record({
  query: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")),
  limit: fc.integer({ min: 1, max: 12 }),
  min_score: fc.constantFrom(0, 0.3),
});
const harmless = fc.record(
  { expand: fc.constant({ before: 1, after: 2 }), explain: fc.constant(true as const) },
  { requiredKeys: [] },
);
const recency = fc.option(fc.constant({ half_life_s: 300, weight: 0.7 }), { nil: undefined });
const diversity = fc.constantFrom(0.2, 0.7, 1);
const hasEmbedder = fc.boolean();

const runs = { numRuns: 60 };
const keysOf = (found: readonly MemoryEntry[]) => found.map(({ key, score }) => [key.name, score]);

function open(all: Parameters<typeof kitWith>[0], withEmbedder: boolean) {
  return kitWith(all, withEmbedder ? {} : { embedder: null });
}

function isInOrder(found: readonly MemoryEntry[]): boolean {
  const positions = found.map((one) => positionOf(one, "relevance"));
  return positions.every((one, at) => at === 0 || comparePositions(positions[at - 1]!, one, "relevance") < 0);
}

it("neighbours and explanations do not change pages or totals, and paging with recency returns every entry once", async () => {
  const property = fc.asyncProperty(
    entries,
    request,
    harmless,
    recency,
    hasEmbedder,
    async (all, asked, extra, aged, withEmbedder) => {
      const { find } = await open(all, withEmbedder);
      const plain = { ...asked, ...(aged && { recency: aged }) };
      const whole = await find({ ...plain, limit: 1_000 });
      expect(isInOrder(whole.entries)).toBe(true);
      const paged: MemoryEntry[] = [];
      for (let after: PluginRetrieveRequest["after"]; ; ) {
        const page = await find({ ...plain, ...extra, ...(after && { after }) });
        expect(page.total).toBe(whole.total);
        paged.push(...page.entries);
        if (page.entries.length < asked.limit) break;
        after = positionOf(page.entries.at(-1)!, "relevance");
      }
      expect(keysOf(paged)).toEqual(keysOf(whole.entries));
      await cleanUp();
    },
  );
  await fc.assert(property, runs);
});

it("diversity picks a full page of the results including the best, and changes no score and no total", async () => {
  const property = fc.asyncProperty(
    entries,
    request,
    diversity,
    hasEmbedder,
    async (all, asked, share, withEmbedder) => {
      const { find } = await open(all, withEmbedder);
      const whole = await find({ ...asked, limit: 1_000 });
      const picked = await find({ ...asked, diversity: share });
      expect(picked.total).toBe(whole.total);
      expect(picked.entries.length).toBe(Math.min(asked.limit, whole.total));
      expect(isInOrder(picked.entries)).toBe(true);
      expect(keysOf(whole.entries)).toEqual(expect.arrayContaining(keysOf(picked.entries)));
      expect(keysOf(picked.entries).slice(0, 1)).toEqual(keysOf(whole.entries).slice(0, 1));
      await cleanUp();
    },
  );
  await fc.assert(property, runs);
});
