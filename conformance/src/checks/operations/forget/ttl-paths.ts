import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import type { RetrieveInput } from "../../../memory-agent.js";

const ENDED = { key: { id: "ended" }, content: "an old ferry crosses the strait", tags: ["ferry"] };
const LIVE = { key: { id: "live" }, content: "a new ferry crosses the strait", tags: ["ferry"] };

/** Stores two similar entries and lets the first expire. */
async function letOneOfTwoEnd({ caller, entry, passTime }: MemoryContext): Promise<void> {
  await caller.store([entry({ ...ENDED, ttl: 1 }), entry({ ...LIVE, ttl: 3_600 })]);
  await passTime(2);
}

/** Expects a retrieve of both entries to find only the live one. */
async function expectLiveAlone(t: MemoryContext, path: string, request: RetrieveInput): Promise<void> {
  const found = await t.caller.retrieve(request);
  const when = "1 s after one of two entries has expired";
  t.expect.equal(foundIds(found), ["live"], `entries of a retrieve ${path}, ${when}`);
  t.expect.equal(found.total, 1, `total of a retrieve ${path}, ${when}`);
}

/** Requests that must not find expired entries (clause RET-16). */
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
      t.expect.equal(entries, [], "entries of a retrieve by the key of an expired entry");
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
      t.expect.equal(total, 1, "total of a retrieve with limit 0, 1 s after one of two entries has expired");
      const dry = await t.caller.forget({ tags: ["ferry"], dry_run: true });
      t.expect.equal(dry.deleted, 1, "deleted of a dry run, 1 s after one of two entries has expired");
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
      expect.equal(
        found.entries.length,
        2,
        "entries with limit 2 of 3 live ones, after newer ones have expired",
      );
      expect.equal(found.total, 3, "total with limit 2 of 3 live entries, after 3 newer ones have expired");
    },
  }),
  memoryCheck({
    id: "ttl/not-forgotten-twice",
    clauses: ["RET-16", "FORGET-5"],
    features: ["ttl"],
    async run(t) {
      await letOneOfTwoEnd(t);
      const { deleted } = await t.caller.forget({ keys: [ENDED.key, LIVE.key] });
      t.expect.equal(deleted, 1, "deleted of a forget that names a live and an expired entry");
    },
  }),
];
