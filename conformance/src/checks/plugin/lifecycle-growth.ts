import { type Check, pluginCheck } from "../../catalogue/check.js";
import type { PluginContext } from "../../context.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { directoryBytes } from "../../plugin-route/directory-bytes.js";
import { heapBytes } from "../../plugin-route/heap-bytes.js";

const BATCH_SIZE = 200;
/** Stores of the same entries again, which are only remembered. */
const REPEATS = 10;
const ROUNDS_MAX = 8;
/** Longer than results are remembered. */
const ROUND_SECONDS = 720;
const CONTENT_BYTES = 400;
/** Maximum growth over two rounds. The receipts of two rounds alone take more. */
const GROWTH_MAX = 240_000;
/** Number of measurements that must not be above it. Memory that is freed once makes two of them low. */
const LOW_MIN = 3;
const PARTS = ["files", "memory"] as const;

/** Stores entries, updates and forgets them, and lets time pass until nothing of them is needed. */
async function passRound(t: PluginContext, round: number): Promise<void> {
  const { caller, entry, features } = t;
  const text = `${round} `.padEnd(CONTENT_BYTES, "lorem ipsum ");
  const entries = Array.from({ length: BATCH_SIZE }, (_, at) =>
    entry({ key: { at, round }, content: `${at} ${text}`, tags: [`round ${round}`] }),
  );
  await caller.store(entries.map((one) => ({ ...one, content: "before" })));
  for (let repeat = 0; repeat < REPEATS; repeat++) await caller.store(entries);
  if (features.full_text) await caller.retrieve({ query: "lorem", limit: 5 });
  await caller.forget({ tags: [`round ${round}`] });
  for (let pass = 0; pass < 3; pass++) {
    await t.passTime(ROUND_SECONDS / 3);
    await t.maintain();
  }
}

/** Memory and files of a plugin that serves for a long time. */
export const lifecycleGrowthChecks: readonly Check[] = [
  pluginCheck({
    id: "lifecycle/nothing-grows-with-what-is-gone",
    clauses: ["PLUG-27", "RETRY-6"],
    async run(t) {
      const measure = async () => {
        // The suite keeps the last requests, and all changes that a plugin reports.
        t.trace.clear();
        (t.changes as unknown[]).length = 0;
        return { memory: heapBytes(), files: await directoryBytes(t.services.dataDirectory!) };
      };
      const growths: Record<(typeof PARTS)[number], number[]> = { files: [], memory: [] };
      const growthOf = (part: (typeof PARTS)[number]) =>
        growths[part].toSorted((a, b) => a - b)[LOW_MIN - 1] ?? Number.POSITIVE_INFINITY;
      // Caches and compiled code grow too, but not in all rounds. A table that was resized takes less after the next
      // round, so each measurement is compared with the one before the last.
      const measured: Awaited<ReturnType<typeof measure>>[] = [];
      const isGrowing = () => PARTS.some((part) => growthOf(part) > GROWTH_MAX);
      for (let round = 0; round <= ROUNDS_MAX && isGrowing(); round++) {
        await passRound(t, round);
        const after = await measure();
        measured.push(after);
        const before = measured.at(-3);
        if (before === undefined) continue;
        for (const part of PARTS) growths[part].push(after[part] - before[part]);
      }
      const what = `of a plugin grow by while ${BATCH_SIZE} entries are stored, several times, and forgotten, and the results of all requests end`;
      for (const part of PARTS)
        t.expect.atMost(
          growthOf(part),
          GROWTH_MAX,
          `bytes, in two of ${ROUNDS_MAX} rounds and at least in all but ${LOW_MIN - 1} measurements, that the ${part} ${what}`,
        );
    },
  }),
  pluginCheck({
    id: "retry/results-end",
    clauses: ["RETRY-6", "STATUS-4", "RETRY-1"],
    async run({ caller, entry, expect, maintain, passTime }) {
      const [id, one] = [newRequestId(), entry({ content: "first" })];
      await caller.store(one, { id });
      for (let pass = 0; pass < 4; pass++) {
        await passTime(300);
        await maintain();
        await caller.store(entry({ key: { pass } }));
      }
      const status = caller.status(id);
      await expect.refused(status, "memory_not_found", "a status of a store after 1,200 s and other stores");
      const other = { ...one, content: "second" };
      const { receipts, errors } = await caller.store(other, { id });
      const got = [errors.map(({ code }) => code), receipts.map(({ outcome }) => outcome)];
      const what = "codes and outcomes of another store with the id of one that is no longer remembered";
      expect.equal(got, [[], ["updated"]], what);
    },
  }),
];
