import { describe, expect, it } from "vitest";
import { kitWith, names } from "./steering-fixture.js";
import { TestClock } from "./test-clock.js";

const NOW = 1_800_000_000;
const DAY = 86_400;
const TEXT = "the heron stands in the lake";
/** Oldest first, with the same text. */
const EQUAL = [30, 7, 0, -3].map((days) => ({
  key: `${days} days`,
  content: TEXT,
  occurred_at: NOW - days * DAY,
}));
const query = { query: "heron lake", mode: "text" } as const;

function open() {
  return kitWith(EQUAL, { clock: new TestClock(NOW), embedder: null });
}

describe("recency (clause RET-24)", () => {
  it("lists newer entries first among equal ones, which are otherwise ordered by key hash", async () => {
    const { find } = await open();
    const plain = await find(query);
    expect(new Set(plain.entries.map(({ score }) => score)).size).toBe(1);
    const steered = await find({ ...query, recency: { half_life_s: 7 * DAY, weight: 1 } });
    expect(names(steered.entries).slice(2)).toEqual(["7 days", "30 days"]);
    const [future, now, week, month] = ["-3 days", "0 days", "7 days", "30 days"].map(
      (name) => steered.entries.find(({ key }) => key.name === name)!.score / plain.entries[0]!.score,
    );
    expect([future, now, week]).toEqual([1, 1, 0.5]);
    expect(month).toBeCloseTo(0.5 ** (30 / 7), 12);
  });

  it("reduces the score by at most its weight", async () => {
    const { find } = await open();
    const [plain, steered] = await Promise.all([
      find({ ...query, limit: 1 }),
      find({ ...query, recency: { half_life_s: 1, weight: 0.25 } }),
    ]);
    const oldest = steered.entries.at(-1)!;
    expect(oldest.score / plain.entries[0]!.score).toBe(0.75);
    expect(steered.total).toBe(4);
  });

  it("measures age from the time of the first page, and applies before min_score", async () => {
    const { find } = await open();
    const recency = { half_life_s: DAY, weight: 1 };
    const later = await find({ ...query, recency, as_of: NOW + DAY });
    const today = later.entries.find(({ key }) => key.name === "0 days")!;
    const full = await find({ ...query, limit: 1 });
    expect(today.score).toBe(full.entries[0]!.score / 2);
    const { total, entries } = await find({ ...query, recency, min_score: full.entries[0]!.score });
    expect([total, names(entries).sort()]).toEqual([2, ["-3 days", "0 days"]]);
  });

  it("is the score of entries without a query, and does not change their order by time", async () => {
    const { find } = await open();
    const { entries, total } = await find({ recency: { half_life_s: 7 * DAY, weight: 1 } });
    expect(names(entries)).toEqual(["-3 days", "0 days", "7 days", "30 days"]);
    expect(entries.slice(0, 3).map(({ score }) => score)).toEqual([1, 1, 0.5]);
    expect(total).toBe(4);
  });
});
