import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { HERON } from "../../../fixtures/heron-entry.js";

/** Long, so that the duration of a check has no effect. */
const HALF_LIFE_S = 10_000_000;

export const recencyChecks: readonly Check[] = [
  memoryCheck({
    id: "recency/multiplies-the-score",
    clauses: ["RET-24", "RET-8", "PLUG-3"],
    features: ["recency"],
    async run({ caller, entry, expect, now }) {
      const ages = [0, 1, 2, -1];
      const before = (age: number) => now() - age * HALF_LIFE_S;
      await caller.store(ages.map((id) => entry({ key: { id }, importance: 0.8, occurred_at: before(id) })));
      const expected = [
        [1, { 0: 0.8, 1: 0.4, 2: 0.2, [-1]: 0.8 }],
        [0.2, { 0: 0.8, 1: 0.72, 2: 0.68, [-1]: 0.8 }],
        [undefined, { 0: 0.8, 1: 0.6, 2: 0.5, [-1]: 0.8 }],
        [0, { 0: 0.8, 1: 0.8, 2: 0.8, [-1]: 0.8 }],
      ] as const;
      for (const [weight, scores] of expected) {
        const { entries } = await caller.retrieve({ recency: { half_life_s: HALF_LIFE_S, weight } });
        expect.equal(entries.length, ages.length, "entries of a listing of 4 with `recency`");
        for (const { key, score } of entries) {
          const of = `of importance 0.8 and an age of ${key.id} half-lives, with a weight of ${weight ?? "nothing"}`;
          expect.near(score, scores[key.id as 0], 1e-4, `score of an entry ${of}`);
        }
      }
    },
  }),
  memoryCheck({
    id: "recency/decides-order-and-minimum",
    clauses: ["RET-24", "RET-5", "RET-2"],
    features: ["recency", "full_text"],
    async run({ caller, entry, expect, now }) {
      const [old, young] = [now() - 4 * HALF_LIFE_S, now()];
      await caller.store([
        entry({ ...HERON, key: { id: "old" }, importance: 1, occurred_at: old }),
        entry({ ...HERON, key: { id: "young" }, importance: 0.5, occurred_at: young }),
      ]);
      const asked = { query: "heron", mode: "text" } as const;
      const what = "of two entries of equal text, the older of twice the importance";
      const plain = await caller.retrieve(asked);
      expect.equal(foundIds(plain), ["old", "young"], `ids, in order, ${what}, without \`recency\``);
      const recency = { half_life_s: HALF_LIFE_S, weight: 1 };
      const steered = await caller.retrieve({ ...asked, recency });
      expect.equal(foundIds(steered), ["young", "old"], `ids, in order, ${what}, with \`recency\``);
      const min_score = plain.entries[0]!.score * 0.2;
      const best = await caller.retrieve({ ...asked, recency, min_score });
      const bound = "a min_score that the older one reaches only without recency";
      expect.equal(foundIds(best), ["young"], `ids ${what}, with ${bound}`);
      expect.equal(best.total, 1, `total ${what}, with ${bound}`);
    },
  }),
  memoryCheck({
    id: "recency/age-is-that-on-the-first-page",
    clauses: ["RET-24"],
    features: ["recency"],
    async run({ caller, entry, expect, now, passTime }) {
      const occurred_at = now();
      await caller.store([1, 2, 3].map((id) => entry({ key: { id }, occurred_at })));
      const asked = { recency: { half_life_s: 1, weight: 1 }, limit: 1 };
      const first = await caller.retrieve(asked);
      await passTime(2);
      const second = await caller.retrieve({ ...asked, cursor: first.cursor });
      const what =
        "of the entries of one time on a page, 2 s after the previous page, with a half-life of 1 s";
      expect.equal(second.entries.length, 1, `number ${what}`);
      const [former, latter] = [first, second].map(({ entries }) => entries[0]!.score);
      expect.near(latter, former!, 1e-6, `score ${what}`);
    },
  }),
];
