import { type Check, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import type { Expect } from "../../../expect.js";
import {
  BATCH_SIZE,
  difference,
  type Numbered,
  noDifference,
  numbersByKeys,
  numbersFound,
  numbersOf,
  storeMany,
} from "../../../fixtures/many-entries.js";
import type { RetrieveInput } from "../../../memory-agent.js";
import { volumeForgetChecks } from "./volume-forget.js";
import { volumeQueryChecks } from "./volume-query.js";
import { volumeThousandsChecks } from "./volume-thousands.js";

/** More than two pages of the maximum size, and not a multiple of it. */
const COUNT = 2_400;
const NEEDLES = 3;
const PAGE_SIZE = 50;

/**
 * Returns fields with times that decrease with the number. The entries stored last are not evicted and are
 * the last of a list.
 */
function fieldsOf(at: number) {
  const isNeedle = at >= COUNT - NEEDLES;
  return {
    content: `number ${at}`,
    occurred_at: 10_000 - at,
    importance: isNeedle ? 0.75 : 0.5,
    group: `of ${at % 3}`,
    tags: [at % 2 === 0 ? "even" : "odd", ...(isNeedle ? ["needle"] : [])],
    metadata: { at, is: isNeedle },
  };
}

/** Criteria with the numbers that meet them. */
const CRITERIA: readonly (readonly [criteria: RetrieveInput, meets: (at: number) => boolean])[] = [
  [{ tags: ["even"] }, (at) => at % 2 === 0],
  [{ tags: ["odd", "even"] }, () => true],
  [{ group: "of 1" }, (at) => at % 3 === 1],
  [{ where: { field: "metadata.at", op: "gte", value: 100 } }, (at) => at >= 100],
  [
    {
      where: { field: "metadata.at", op: "in", value: Array.from({ length: 1_000 }, (_, at) => 2 * at + 1) },
    },
    (at) => at % 2 === 1 && at < 2_000,
  ],
  [{ where: { not: { field: "tags", op: "eq", value: "odd" } } }, (at) => at % 2 === 0],
  [{ until: 9_000 }, (at) => 10_000 - at < 9_000],
  [{ since: 8_500, group: "of 2" }, (at) => 10_000 - at >= 8_500 && at % 3 === 2],
  [{ tags: ["needle"] }, (at) => at >= COUNT - NEEDLES],
  [{ match: { at: COUNT - 1 } }, (at) => at === COUNT - 1],
  [{ where: { field: "metadata.is", op: "eq", value: true }, group: "of 0" }, (at) => at === COUNT - NEEDLES],
  [{ min_score: 0.6 }, (at) => at >= COUNT - NEEDLES],
];

function expectNumbers(expect: Expect, got: readonly number[], expected: readonly number[], what: string) {
  expect.equal(difference(got, expected), noDifference(expected.length), what);
}

function meeting(entries: readonly Numbered[], meets: (at: number) => boolean): number[] {
  return numbersOf(entries).filter(meets);
}

/** Outcomes in a batch over existing entries: the same entry, other content, or a new key. */
const OUTCOMES = ["unchanged", "updated", "created"] as const;

const readChecks: readonly Check[] = [
  memoryCheck({
    id: "volume/every-entry-is-listed",
    clauses: ["RET-2", "RET-3", "RET-5", "RET-7", "PLUG-7", "CRIT-2"],
    async run(t) {
      const { caller, expect } = t;
      const held = await storeMany(t, caller, COUNT, fieldsOf);
      const what = `of a partition after stores of ${COUNT} entries`;
      const { total, entries } = await caller.retrieve({ limit: 0 });
      expect.equal([total, entries.length], [held.length, 0], `total and entries of limit 0, ${what}`);
      const numbers = numbersOf(held);
      expectNumbers(
        expect,
        await numbersFound(caller, {}),
        numbers,
        `numbers on the pages by newest, ${what}`,
      );
      const oldest = await numbersFound(caller, { order: "oldest", limit: 999 });
      expectNumbers(expect, oldest, numbers.toReversed(), `numbers on the pages by oldest, ${what}`);
      const byKeys = await numbersByKeys(caller, held);
      expectNumbers(expect, byKeys, numbers, `numbers found by 1,000 keys at a time, ${what}`);
    },
  }),
  memoryCheck({
    id: "volume/criteria-select-among-many",
    clauses: ["RET-1", "RET-3", "CRIT-1", "PLUG-8"],
    async run(t) {
      const { caller, expect } = t;
      const held = await storeMany(t, caller, COUNT, fieldsOf);
      for (const [criteria, meets] of CRITERIA) {
        const expected = meeting(held, meets);
        const what = `by ${JSON.stringify(criteria).slice(0, 100)}, of ${held.length} entries`;
        const { total, entries } = await caller.retrieve({ ...criteria, limit: PAGE_SIZE });
        expect.equal(total, expected.length, `total ${what}`);
        const page = entries.map(({ key }) => key.at as number);
        expectNumbers(expect, page, expected.slice(0, PAGE_SIZE), `numbers on the first page ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "volume/batch-of-every-outcome",
    clauses: ["STORE-7", "STORE-8", "STORE-4", "PLUG-6"],
    async run(t) {
      const { caller, expect } = t;
      const size = BATCH_SIZE / 2;
      const held = await storeMany(t, caller, size, (at) => ({ content: at }));
      const outcomeOf = (at: number) => OUTCOMES[at < size ? at % 2 : 2]!;
      const batch = Array.from({ length: BATCH_SIZE }, (_, at) =>
        t.entry({ key: { at }, content: outcomeOf(at) === "updated" ? `again ${at}` : at }),
      );
      expect.equal(held.length, size, "entries of a partition after stores of 500");
      const { receipts, errors } = await caller.store(batch, { deadline_ms: 14_000 });
      expect.equal(errors, [], "errors of a store of 500 existing and 500 new keys");
      const got = receipts.map(({ index, outcome }) => `${index} ${outcome}`);
      const wrong = got.filter((text, at) => text !== `${at} ${outcomeOf(at)}`);
      expect.equal(
        [got.length, wrong.slice(0, 5)],
        [BATCH_SIZE, []],
        "receipts of a store of 500 existing and 500 new keys, and those with an unexpected index or outcome",
      );
      const { entries, total } = await caller.retrieve({ limit: BATCH_SIZE, order: "oldest" });
      const contents = new Map(entries.map(({ key, content }) => [key.at, content]));
      const lost = batch.filter(({ key, content }) => contents.get((key as { at: number }).at) !== content);
      expect.equal(
        [total, lost.length],
        [BATCH_SIZE, 0],
        "total after that store, and contents that differ from the stored ones",
      );
    },
  }),
  pluginCheck({
    id: "volume/survives-reopen",
    clauses: ["PLUG-13", "DUR-2", "FORGET-6"],
    features: ["durable"],
    async run(t) {
      const { caller, expect, maintain, reopen } = t;
      const stored = await storeMany(t, caller, COUNT, fieldsOf);
      await caller.store(stored.slice(0, BATCH_SIZE).map((one) => ({ ...one, content: "updated" })));
      await caller.forget({ group: "of 2" });
      const left = stored.filter(({ group }) => group !== "of 2");
      const updated = (entries: readonly Numbered[]) =>
        numbersOf(entries).filter((at) => at < BATCH_SIZE).length;
      for (const time of ["once", "twice"]) {
        await maintain();
        await reopen();
        const what = `after maintenance, close and open, ${time}, with 800 of ${COUNT} forgotten`;
        expectNumbers(expect, await numbersFound(caller, {}), numbersOf(left), `numbers ${what}`);
        const { entries } = await caller.retrieve({ until: 10_001, limit: BATCH_SIZE });
        const are = entries.filter(({ content }) => content === "updated").length;
        const page = left.slice(0, BATCH_SIZE);
        expect.equal(
          are,
          updated(page),
          `entries of the newest 1000 with the content of their update, ${what}`,
        );
        const again = await caller.forget({ group: "of 2" });
        expect.equal(again.deleted, 0, `deleted of the same forget ${what}`);
      }
    },
  }),
];

/**
 * Every operation with many more entries than fit on a page. They run one at a time, because a host may drop
 * events that other checks wait for.
 */
export const volumeChecks: readonly Check[] = [
  ...readChecks,
  ...volumeQueryChecks,
  ...volumeForgetChecks,
  ...volumeThousandsChecks,
].map((check) => ({ ...check, turn: "alone" }));
