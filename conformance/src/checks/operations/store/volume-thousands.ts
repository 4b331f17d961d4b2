import { type Check, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { storeFate } from "../../../fixtures/fate-of.js";
import { inBatches } from "../../../fixtures/in-batches.js";
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
import { newRequestId } from "../../../fixtures/request-id.js";

/** More than 10,000, the usual limit of a count. */
const COUNT = 10_050;
const DEADLINE_MS = 14_000;
/** More single operations than a log usually has lines between two snapshots. */
const OPERATIONS = 1_050;
const [UPDATED, FORGOTTEN] = [20, 4];

const fieldsOf = (at: number) => ({
  content: at,
  occurred_at: 20_000 - at,
  tags: ["all"],
  metadata: { at },
});

async function expectTotals(t: MemoryContext, held: readonly Numbered[]): Promise<void> {
  const { caller, expect, features } = t;
  const what = `of ${held.length} entries`;
  for (const criteria of [
    {},
    { tags: ["all"] },
    { where: { field: "metadata.at", op: "gte", value: 0 } as const },
  ]) {
    const { total } = await caller.retrieve({ ...criteria, limit: 0 });
    expect.equal(total, held.length, `total by ${JSON.stringify(criteria)} with limit 0, ${what}`);
  }
  if (!features.list) return;
  for (const field of [undefined, "tags"]) {
    const { items } = await caller.list({ field });
    const counts = items.map(({ count }) => count);
    expect.equal(counts, [held.length], `counts in a list by ${field ?? "namespace"}, ${what}`);
  }
}

/** Counts and forgets beyond 10,000, and more operations than a snapshot usually has behind it. */
export const volumeThousandsChecks: readonly Check[] = [
  memoryCheck({
    id: "volume/more-than-ten-thousand",
    clauses: ["RET-3", "STORE-4", "STORE-14", "LIST-3", "FORGET-1", "FORGET-2", "FORGET-5"],
    async run(t) {
      const { caller, expect } = t;
      const held = await storeMany(t, caller, COUNT, fieldsOf);
      await expectTotals(t, held);
      const numbers = numbersOf(held);
      const { entries, total: listed } = await caller.retrieve({ order: "oldest", limit: 50 });
      expect.equal(listed, held.length, `total of a page of the oldest 50 of ${held.length} entries`);
      expect.equal(
        entries.map(({ key }) => key.at),
        numbers.slice(-50).toReversed(),
        `numbers of the oldest 50 of ${held.length} entries`,
      );
      const last = held.slice(-BATCH_SIZE);
      const byKeys = await numbersByKeys(caller, last);
      expect.equal(
        difference(byKeys, numbersOf(last)),
        noDifference(last.length),
        `numbers of the last ${last.length} of ${held.length} entries, by their keys`,
      );
      for (const dry_run of [true, false]) {
        const { deleted } = await caller.forget({ tags: ["all"], dry_run, deadline_ms: DEADLINE_MS });
        const name = dry_run ? "a dry run of a forget" : "a forget";
        expect.equal(deleted, held.length, `\`deleted\` of ${name} of ${held.length} entries`);
      }
      const { total } = await caller.retrieve({ limit: 0 });
      expect.equal(total, 0, `total after a forget of ${held.length} entries`);
    },
  }),
  pluginCheck({
    id: "volume/many-operations-survive-reopen",
    clauses: ["PLUG-13", "DUR-2", "RETRY-4", "FORGET-6"],
    features: ["durable"],
    async run(t) {
      const { caller, entry, expect, reopen } = t;
      const all = Array.from({ length: OPERATIONS }, (_, at) => ({
        id: newRequestId(),
        entry: entry({ ...fieldsOf(at), key: { at } }) as Numbered,
      }));
      const fates = new Map<string, unknown>();
      await inBatches(all, async ({ id, entry: one }) => {
        fates.set(id, storeFate(await caller.store(one, { id })));
      });
      await inBatches(all.slice(0, UPDATED), ({ entry: one }) =>
        caller.store({ ...one, content: "updated" }),
      );
      const forgotten = all.slice(UPDATED, UPDATED + FORGOTTEN);
      await inBatches(forgotten, ({ entry: one }) => caller.forget({ keys: [one.key] }));
      const left = all.filter((one) => !forgotten.includes(one)).map(({ entry: one }) => one);
      await reopen();
      const what = `after ${OPERATIONS} single stores, ${UPDATED} updates and ${FORGOTTEN} forgets, and close and open`;
      const found = await numbersFound(caller, {});
      expect.equal(difference(found, numbersOf(left)), noDifference(left.length), `numbers ${what}`);
      const { entries } = await caller.retrieve({ keys: left.slice(0, UPDATED).map(({ key }) => key) });
      const contents = [...new Set(entries.map(({ content }) => content))];
      expect.equal(contents, ["updated"], `contents of the updated entries ${what}`);
      for (const { id, entry: one } of [all[0]!, forgotten[0]!, all.at(-1)!]) {
        const again = storeFate(await caller.store(one, { id }));
        expect.equal(again, fates.get(id), `the result of store ${one.key.at}, repeated after all these`);
      }
    },
  }),
];
