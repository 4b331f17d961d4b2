import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import type { RetrieveInput } from "../../../memory-agent.js";

const ENDED = { key: { id: "ended" }, content: "an old ferry crosses the strait", tags: ["ferry"] };
const LIVE = { key: { id: "live" }, content: "a new ferry crosses the strait", tags: ["ferry"] };

/** Two entries that are alike; the first has ended. */
async function letOneOfTwoEnd({ caller, entry, passTime }: MemoryContext): Promise<void> {
  await caller.store([entry({ ...ENDED, ttl: 1 }), entry({ ...LIVE, ttl: 3_600 })]);
  await passTime(2);
}

/** What a retrieve of both finds when one of them has ended. */
async function expectLiveAlone(t: MemoryContext, path: string, request: RetrieveInput): Promise<void> {
  const found = await t.caller.retrieve(request);
  const when = "1 s after the end of one of two entries";
  t.expect.equal(foundIds(found), ["live"], `entries of a retrieve ${path}, ${when}`);
  t.expect.equal(found.total, 1, `total of a retrieve ${path}, ${when}`);
}

/** What has ended is nowhere, whatever way a request takes (clause RET-16). */
export const ttlPathChecks: readonly Check[] = [
  memoryCheck({
    id: "ttl/gone-from-listing",
    clauses: ["RET-16", "ENTRY-4"],
    features: ["ttl"],
    async run(t) {
      await letOneOfTwoEnd(t);
      await expectLiveAlone(t, "without criteria", {});
      await expectLiveAlone(t, "by tag, oldest first", { tags: ["ferry"], order: "oldest" });
    },
  }),
  memoryCheck({
    id: "ttl/gone-by-key",
    clauses: ["RET-16", "ENTRY-4"],
    features: ["ttl"],
    async run(t) {
      await letOneOfTwoEnd(t);
      await expectLiveAlone(t, "by key", { keys: [ENDED.key, LIVE.key] });
      const { entries } = await t.caller.retrieve({ keys: [ENDED.key] });
      t.expect.equal(entries, [], "entries of a retrieve by the key of an entry that has ended");
    },
  }),
  memoryCheck({
    id: "ttl/gone-from-full-text",
    clauses: ["RET-16"],
    features: ["ttl", "full_text"],
    async run(t) {
      await letOneOfTwoEnd(t);
      await expectLiveAlone(t, "by words", { query: "ferry strait", mode: "text" });
    },
  }),
  memoryCheck({
    id: "ttl/gone-from-similarity",
    clauses: ["RET-16"],
    features: ["ttl", "similarity"],
    async run(t) {
      await letOneOfTwoEnd(t);
      await expectLiveAlone(t, "by vector", { query: "an old ferry crosses the strait", mode: "vector" });
    },
  }),
  memoryCheck({
    id: "ttl/not-counted",
    clauses: ["RET-16", "RET-3"],
    features: ["ttl"],
    async run(t) {
      await letOneOfTwoEnd(t);
      const { total } = await t.caller.retrieve({ limit: 0 });
      t.expect.equal(total, 1, "total of a retrieve with limit 0, 1 s after the end of one of two entries");
      const dry = await t.caller.forget({ tags: ["ferry"], dry_run: true });
      t.expect.equal(dry.deleted, 1, "deleted of a dry run, 1 s after the end of one of two entries");
    },
  }),
  memoryCheck({
    id: "ttl/ends-before-the-limit",
    clauses: ["RET-1", "RET-16"],
    features: ["ttl"],
    async run({ caller, entry, passTime, expect }) {
      const many = (name: string, fields: object) =>
        [1, 2, 3].map((number) => entry({ key: { id: `${name} ${number}` }, ...fields }));
      await caller.store(many("live", { ttl: 3_600, occurred_at: 1_000 }));
      await caller.store(many("ended", { ttl: 1, occurred_at: 2_000 }));
      await passTime(2);
      const found = await caller.retrieve({ limit: 2 });
      expect.equal(found.entries.length, 2, "entries with limit 2 of 3 live ones, newer ones having ended");
      expect.equal(found.total, 3, "total with limit 2 of 3 live entries, 3 newer ones having ended");
    },
  }),
  memoryCheck({
    id: "ttl/not-forgotten-twice",
    clauses: ["RET-16", "FORGET-5"],
    features: ["ttl"],
    async run(t) {
      await letOneOfTwoEnd(t);
      const { deleted } = await t.caller.forget({ keys: [ENDED.key, LIVE.key] });
      t.expect.equal(deleted, 1, "deleted of a forget that names an entry and one that has ended");
    },
  }),
];
