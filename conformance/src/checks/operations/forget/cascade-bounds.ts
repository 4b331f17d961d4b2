import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { derivedEntries } from "../../../fixtures/derived-entries.js";
import { BATCH_SIZE } from "../../../fixtures/many-entries.js";
import type { EntryInput, ForgetInput } from "../../../memory-agent.js";

/** Maximum number of selected entries, and of entries that name one which goes. */
const COUNT_MAX = 10_000;
const [FIRST, KEPT] = [5_000, 10];
const SECOND = COUNT_MAX - FIRST - KEPT;
const REQUEST = { cascade: true, deadline_ms: 14_000 } as const;

/**
 * Returns exactly 10,000 derived entries in two levels. The last ones also have a source that remains, so
 * they count and stay.
 */
function tenThousand({ derived }: ReturnType<typeof derivedEntries>): readonly EntryInput[] {
  const many = (first: number, count: number, from: (at: number) => readonly (string | number)[]) =>
    Array.from({ length: count }, (_, at) => ({ ...derived(first + at, from(at)), tags: ["derived"] }));
  return [
    ...many(0, FIRST, () => ["root"]),
    ...many(FIRST, SECOND, (at) => [at]),
    ...many(FIRST + SECOND, KEPT, () => ["root", "kept"]),
  ];
}

async function storeAll({ caller, features }: MemoryContext, entries: readonly EntryInput[]): Promise<void> {
  const ack = features.queued ? "queued" : "stored";
  for (let from = 0; from < entries.length; from += BATCH_SIZE)
    await caller.store(entries.slice(from, from + BATCH_SIZE), { ack, deadline_ms: 14_000 });
}

/** Expects a cascade to be refused and to delete nothing. A dry run is refused too. */
async function expectTooMany(t: MemoryContext, request: ForgetInput, total: number, what: string) {
  for (const dry_run of [true, false]) {
    const name = dry_run ? `a dry run of ${what}` : what;
    await t.expect.refused(t.caller.forget({ ...REQUEST, ...request, dry_run }), "too_large", name);
    const left = await t.caller.retrieve({ limit: 0 });
    t.expect.equal(left.total, total, `entries after ${name}, which is refused`);
  }
}

/** Bounds of a cascade, each exactly at its limit and one above. All use the same entries. */
export const cascadeBoundsChecks: readonly Check[] = [
  memoryCheck({
    id: "cascade/too-many-take-nothing",
    clauses: ["CASC-6", "CASC-5"],
    features: ["sources", "cascade"],
    // An evicting tier has no capacity for these entries.
    withoutFeature: "eviction",
    // A host limits its events per second, and other checks wait for events.
    turn: "alone",
    async run(t) {
      const lineage = derivedEntries(t);
      const { key, derived } = lineage;
      await storeAll(t, [derived("root"), derived("kept"), ...tenThousand(lineage)]);
      const before = await t.caller.retrieve({ limit: 0 });
      t.expect.precondition(before.total === COUNT_MAX + 2, "capacity for 10,002 entries");
      const root = { keys: [key("root")] };
      const exactly = await t.caller.forget({ ...REQUEST, ...root, dry_run: true });
      t.expect.equal(
        [exactly.deleted, exactly.receipt.cascaded],
        [1 + FIRST + SECOND, [FIRST, SECOND]],
        "`deleted` and `cascaded` of a cascade with exactly 10,000 derived entries, where 10 stay",
      );
      await storeAll(t, [derived("one more", [FIRST, "kept"])]);
      const over = "a cascade to 10,001 derived entries, where 11 would stay";
      await expectTooMany(t, root, COUNT_MAX + 3, over);
      const selected = await t.caller.forget({ ...REQUEST, tags: ["derived"], dry_run: true });
      t.expect.equal(
        [selected.deleted, selected.receipt.cascaded],
        [COUNT_MAX, []],
        "`deleted` and `cascaded` of a cascade that selects exactly 10,000 entries",
      );
      const all = { match: { run: (key("root") as { run: string }).run } };
      await expectTooMany(t, all, COUNT_MAX + 3, "a cascade that selects 10,003 entries");
    },
  }),
];
