import { delay, keyHash, systemClock } from "@membus/protocol";
import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import type { EntryInput } from "../../../memory-agent.js";

/** Time for the background work of a host or plugin after a write. */
const BACKGROUND_MS = 100;

const GONE = { key: { id: "gone" }, content: "a lighthouse keeper counts passing ships", tags: ["harbour"] };
const KEPT = { key: { id: "kept" }, content: "a lighthouse lamp guides passing ships", tags: ["harbour"] };

/** Stores two similar entries, reads the first so that caches contain it, and forgets it. */
async function forgetOneOfTwo({ caller, entry }: MemoryContext): Promise<void> {
  await caller.store([entry(GONE), entry(KEPT)]);
  await caller.retrieve({ keys: [GONE.key] });
  await caller.retrieve();
  await caller.forget({ keys: [GONE.key] });
}

/** Reads that must not return forgotten entries. */
export const forgetGoneChecks: readonly Check[] = [
  memoryCheck({
    id: "forget/gone-on-every-path",
    clauses: ["FORGET-6", "STORE-12"],
    async run(t) {
      const { caller, expect } = t;
      await forgetOneOfTwo(t);
      const paths = {
        "by key": { keys: [GONE.key, KEPT.key] },
        "by key hash": { keys: [{ $hash: keyHash(GONE.key) }, KEPT.key] },
        "by tag": { tags: GONE.tags },
        "without criteria": {},
      };
      for (const [path, criteria] of Object.entries(paths)) {
        const found = await caller.retrieve(criteria);
        expect.equal(
          foundIds(found),
          ["kept"],
          `entries of a retrieve ${path} after one of two was forgotten`,
        );
        expect.equal(found.total, 1, `total of a retrieve ${path} after one of two was forgotten`);
      }
    },
  }),
  memoryCheck({
    id: "forget/gone-from-full-text",
    clauses: ["FORGET-6"],
    features: ["full_text"],
    async run(t) {
      await forgetOneOfTwo(t);
      const found = await t.caller.retrieve({ query: "lighthouse ships", mode: "text" });
      t.expect.equal(
        foundIds(found),
        ["kept"],
        "entries that a query finds by words after one of two was forgotten",
      );
      t.expect.equal(found.total, 1, "total of a query by words after one of two was forgotten");
    },
  }),
  memoryCheck({
    id: "forget/gone-from-similarity",
    clauses: ["FORGET-6"],
    features: ["similarity"],
    async run(t) {
      await forgetOneOfTwo(t);
      const query = "a lighthouse lamp guides passing ships";
      const found = await t.caller.retrieve({ query, mode: "vector" });
      t.expect.equal(
        foundIds(found),
        ["kept"],
        "entries that a query finds by vector after one of two was forgotten",
      );
      t.expect.equal(found.total, 1, "total of a query by vector after one of two was forgotten");
    },
  }),
  memoryCheck({
    id: "forget/gone-when-answered",
    clauses: ["STORE-12", "STORE-13"],
    async run({ caller, entry, expect }) {
      const kept = entry();
      await caller.store(kept);
      for (let round = 1; round <= 10; round++) {
        const one = entry({ tags: ["red"] });
        await caller.store(one);
        await caller.forget(round % 2 === 0 ? { keys: [one.key] } : { tags: ["red"] });
        const { entries } = await caller.retrieve();
        const keys = entries.map(({ key }) => key);
        expect.equal(keys, [kept.key], "keys right after the reply to a forget of all but one");
        const again = await caller.store(one);
        expect.equal(again.stored.length, 1, "keys stored by a store right after the forget of the same key");
        await caller.forget({ keys: [one.key] });
      }
    },
  }),
  memoryCheck({
    id: "forget/takes-queued-writes",
    clauses: ["FORGET-6", "STORE-12"],
    features: ["queued"],
    async run({ caller, entry, expect }) {
      const batch = Array.from({ length: 5 }, () => entry({ tags: ["queued"] }));
      await caller.store(batch, { ack: "queued" });
      const { deleted } = await caller.forget({ tags: ["queued"] });
      expect.equal(deleted, 5, 'deleted of a forget right after a store of 5 entries with ack "queued"');
      await delay(systemClock, BACKGROUND_MS);
      const { total } = await caller.retrieve({ tags: ["queued"] });
      expect.equal(total, 0, 'entries some time after a store with ack "queued" and a forget of them');
    },
  }),
  memoryCheck({
    id: "forget/key-is-new-afterwards",
    clauses: ["FORGET-6", "STORE-8"],
    async run({ caller, entry, expect }) {
      const key = { id: "again" };
      const old: Partial<EntryInput> = {
        key,
        tags: ["old"],
        metadata: { old: 1 },
        group: "old",
        importance: 0.5,
      };
      await caller.store(entry(old));
      const [before] = (await caller.retrieve()).entries;
      await caller.forget({ keys: [key] });
      const { receipts } = await caller.store(entry({ key }));
      expect.equal(receipts[0]?.outcome, "created", "outcome of a store of a key that was forgotten");
      const [after] = (await caller.retrieve()).entries;
      const { metadata, group, importance, tags } = after ?? {};
      const kept = { metadata, group, importance, tags };
      expect.equal(
        kept,
        { importance: 1, tags: [] },
        "fields that a new entry of a forgotten key has in common with the former one",
      );
      expect.atLeast(after?.seq ?? 0, (before?.seq ?? 0) + 1, "`seq` of a new entry of a forgotten key");
    },
  }),
];
