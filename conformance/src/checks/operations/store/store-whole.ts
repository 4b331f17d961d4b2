import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { pending } from "../../../fixtures/pending.js";
import type { EntryInput } from "../../../memory-agent.js";

const ENTRIES = 250;
const ROUNDS = 2;
/** Maximum number of reads during one store. */
const READS_MAX = 60;

/** Counts the entries with the tag until `storing` has been answered. Returns the distinct counts. */
async function countsDuring(
  { caller }: MemoryContext,
  tag: string,
  storing: Promise<unknown>,
): Promise<readonly number[]> {
  let isAnswered = false;
  const answered = pending(
    storing.finally(() => {
      isAnswered = true;
    }),
  );
  const counts = new Set<number>();
  for (let count = 0; count < READS_MAX && !isAnswered; count++) {
    counts.add((await caller.retrieve({ tags: [tag], limit: 0 })).total);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await answered;
  return [...counts];
}

export const storeWholeChecks: readonly Check[] = [
  memoryCheck({
    id: "store/a-batch-is-seen-whole",
    clauses: ["STORE-15", "STORE-13"],
    async run(t) {
      const { caller, entry, expect } = t;
      for (let round = 1; round <= ROUNDS; round++) {
        const keys = Array.from({ length: ENTRIES }, (_, at) => ({ at, round }));
        const batch = (tag: string): EntryInput[] => keys.map((key) => entry({ key, tags: [tag] }));
        for (const [stored, counted] of [
          ["new", "new"],
          ["updated", "updated"],
          ["updated again", "updated"],
        ] as const) {
          const tag = `${counted} ${round}`;
          const counts = await countsDuring(t, tag, caller.store(batch(`${stored} ${round}`)));
          const what = `of a tag, read during a store of ${ENTRIES} ${stored} entries that ${stored === counted ? "have it" : "lose it"}`;
          const halves = counts.filter((count) => count !== 0 && count !== ENTRIES);
          expect.equal(halves, [], `totals other than 0 and ${ENTRIES} ${what}`);
          const { total } = await caller.retrieve({ tags: [tag], limit: 0 });
          expect.equal(total, stored === counted ? ENTRIES : 0, `total ${what}, after its reply`);
        }
      }
    },
  }),
];
