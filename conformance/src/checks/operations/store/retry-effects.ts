import { type Check, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { forgetFate, storeFate } from "../../../fixtures/fate-of.js";
import { inBatches } from "../../../fixtures/in-batches.js";
import { newRequestId } from "../../../fixtures/request-id.js";
import type { MemoryAgent } from "../../../memory-agent.js";

/** More requests than a list of the last thousand results can hold. */
const OTHERS = 1_100;
const BATCH_SIZE = 1_000;
const AFTER_KILL = 20;

/**
 * Executes every kind of repeatable request, and then changes that a second effect would undo.
 *
 * Returns a function that repeats all requests and checks the replies and the entries.
 */
async function repeatable({
  caller,
  entry,
  expect,
}: MemoryContext): Promise<(when: string) => Promise<void>> {
  const named = (id: string, content: string) => entry({ key: { id }, content, tags: [id] });
  const keys = (id: string) => ({ keys: [{ id }] });
  const [store, same, forget, nothing] = [newRequestId(), newRequestId(), newRequestId(), newRequestId()];
  const batch = [named("updated", "first"), named("forgotten", "first"), named("same", "first")];
  const stored = await caller.store(batch, { id: store });
  const unchanged = await caller.store(batch[2]!, { id: same });
  const forgotten = await caller.forget({ ...keys("forgotten"), id: forget });
  const none = await caller.forget({ ...keys("none"), id: nothing });
  const outcomes = [unchanged.receipts[0]?.outcome, forgotten.deleted, none.deleted];
  const what = "outcome of an equal store, `deleted` of a forget of 1 entry and of none";
  expect.equal(outcomes, ["unchanged", 1, 0], what);
  await caller.store([named("updated", "second"), named("same", "second"), named("none", "second")]);
  return async (when) => {
    const results = [
      storeFate(await caller.store(batch, { id: store })),
      storeFate(await caller.store(batch[2]!, { id: same })),
      forgetFate(await caller.forget({ ...keys("forgotten"), id: forget })),
      forgetFate(await caller.forget({ ...keys("none"), id: nothing })),
    ];
    const first = [storeFate(stored), storeFate(unchanged), forgetFate(forgotten), forgetFate(none)];
    const kinds = ["a store", "a store that changed nothing", "a forget", "a forget of nothing"];
    for (const [at, kind] of kinds.entries()) {
      expect.equal(
        results[at],
        first[at],
        `the result of ${kind} that is repeated ${when}, compared with the first`,
      );
    }
    const status = await caller.status(store);
    expect.equal(status.receipts.length, 3, `receipts in the status of a store of 3 entries, ${when}`);
    const { entries } = await caller.retrieve({ tags: ["updated", "forgotten", "same", "none"] });
    const contents = entries.map(({ key, content }) => `${key.id} ${content}`);
    const newest = ["none second", "same second", "updated second"];
    expect.sameMembers(contents, newest, `entries after stores and forgets were repeated ${when}`);
  };
}

/** Sends requests of these agents, each with a separate effect. */
async function others({ entry }: MemoryContext, agents: readonly MemoryAgent[]): Promise<void> {
  const numbers = Array.from({ length: OTHERS }, (_, at) => at);
  await inBatches(numbers, async (at) => {
    const agent = agents[at % agents.length]!;
    if (at % 4 === 3) await agent.forget({ keys: [{ other: at - 1 }] });
    else await agent.store(entry({ key: { other: at }, content: at }));
  });
}

/** Effects that a repeated request must not have, regardless of later changes. */
export const retryEffectChecks: readonly Check[] = [
  memoryCheck({
    id: "retry/what-had-no-effect-is-remembered",
    clauses: ["RETRY-1", "RET-17", "STATUS-2"],
    async run(t) {
      const { caller, entry, expect } = t;
      await (await repeatable(t))("at once");
      const [id, empty] = [newRequestId(), t.agent({ below: "empty" })];
      await empty.forget({ all: true, id });
      await empty.store(entry());
      const again = await empty.forget({ all: true, id });
      const { total } = await empty.retrieve();
      const what = "`deleted` of a repeated forget of everything in an empty namespace, and the entries left";
      expect.equal([again.deleted, total], [0, 1], what);
      const dry = newRequestId();
      const one = entry();
      await caller.store(one);
      const counted = await caller.forget({ keys: [one.key], dry_run: true, id: dry });
      const left = await caller.retrieve({ keys: [one.key] });
      expect.equal([counted.deleted, left.total], [1, 1], "`deleted` of a dry run, and entries after it");
    },
  }),
  memoryCheck({
    id: "retry/after-a-thousand-others",
    clauses: ["RETRY-6", "RETRY-1", "STATUS-2"],
    async run(t) {
      const repeat = await repeatable(t);
      const second = t.tier === "semantic" ? t.agent({ agent: "second" }) : t.agent({ below: "another" });
      await others(t, [t.caller, second]);
      await repeat(`after ${OTHERS} others`);
    },
  }),
  memoryCheck({
    id: "retry/of-the-largest-batch",
    clauses: ["RETRY-1", "STATUS-2"],
    async run({ caller, entry, expect }) {
      const id = newRequestId();
      const batch = Array.from({ length: BATCH_SIZE }, (_, at) =>
        entry({ key: { at }, content: "first", tags: [at % 2 === 0 ? "even" : "odd"] }),
      );
      const first = await caller.store(batch, { id, deadline_ms: 14_000 });
      const { deleted } = await caller.forget({ tags: ["odd"] });
      await caller.store(batch.slice(-10).map((one) => ({ ...one, content: "second" })));
      const { total } = await caller.retrieve({ limit: 0 });
      const again = await caller.store(batch, { id, deadline_ms: 14_000 });
      const what = "a store of 1000 entries that is repeated";
      const got = again.receipts.filter(({ revision }, at) => revision !== first.receipts[at]?.revision);
      expect.equal(
        [again.receipts.length, got.length],
        [BATCH_SIZE, 0],
        `receipts of ${what}, and other revisions`,
      );
      const after = await caller.retrieve({ limit: 10 });
      expect.equal(after.total, total, `total after ${what}, with ${deleted} forgotten before`);
      const contents = new Set(after.entries.map(({ content }) => content));
      expect.equal(
        [...contents],
        ["second"],
        `contents of the newest 10 after ${what}, which were updated before`,
      );
      const status = await caller.status(id);
      expect.equal(status.receipts.length, BATCH_SIZE, "receipts in the status of a store of 1000 entries");
    },
  }),
  pluginCheck({
    id: "durability/retries-after-maintenance-revert-nothing",
    clauses: ["RETRY-4", "RETRY-1", "PLUG-13"],
    features: ["durable"],
    async run(t) {
      const repeat = await repeatable(t);
      await t.maintain();
      await repeat("after maintenance");
      for (const time of ["once", "twice"]) {
        await t.reopen();
        await t.maintain();
        await repeat(`after close, open and maintenance, ${time}`);
      }
    },
  }),
  pluginCheck({
    id: "durability/retries-after-kill-revert-nothing",
    clauses: ["RETRY-4", "DUR-2", "PLUG-13"],
    features: ["durable"],
    provisions: ["kill"],
    async run({ caller, expect, killWhileStoring, reopen }) {
      const kept = (await killWhileStoring()).kept.slice(0, AFTER_KILL);
      const [forgotten, updated] = [kept.slice(0, 3), kept.slice(3)];
      await caller.store(updated.map(({ entry }) => ({ ...entry, content: "newer" })));
      await caller.forget({ keys: forgotten.map(({ entry }) => entry.key) });
      await reopen();
      for (const { entry, requestId } of kept) await caller.store(entry, { id: requestId });
      const { entries } = await caller.retrieve({ keys: kept.map(({ entry }) => entry.key) });
      const contents = entries.map(({ content }) => content);
      const what =
        "contents after stores from before a kill were repeated, with 3 entries forgotten in between";
      expect.equal(
        contents,
        updated.map(() => "newer"),
        what,
      );
    },
  }),
];
