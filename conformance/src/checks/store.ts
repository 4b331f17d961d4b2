import { keyHash } from "@membus/protocol";
import { type Check, memoryCheck } from "../check.js";

export const storeChecks: readonly Check[] = [
  memoryCheck({
    id: "store/created-then-updated",
    clauses: ["STORE-8"],
    since: "1.0",
    async run({ caller, entry, expect }) {
      const first = entry({ content: "one" });
      const created = await caller.store(first);
      const updated = await caller.store({ ...first, content: "two" });
      expect.equal(created.receipts[0]?.outcome, "created", "outcome of the first store of a key");
      expect.equal(
        updated.receipts[0]?.outcome,
        "updated",
        "outcome of a store of the same key with other content",
      );
    },
  }),
  memoryCheck({
    id: "store/every-entry-of-a-batch-is-kept",
    clauses: ["STORE-7", "STORE-4"],
    since: "1.0",
    async run({ caller, entry, expect }) {
      const batch = Array.from({ length: 7 }, () => entry());
      const { stored, receipts } = await caller.store(batch);
      expect.equal(
        receipts.map(({ index }) => index),
        [0, 1, 2, 3, 4, 5, 6],
        "indexes of the receipts of 7 entries",
      );
      expect.equal(
        stored,
        batch.map(({ key }) => key),
        "`stored`, the keys of what was stored",
      );
      const hashes = batch.map(({ key }) => keyHash(key as string));
      const { entries } = await caller.retrieve({ limit: 100 });
      expect.sameMembers(
        entries.map(({ key_hash }) => key_hash),
        hashes,
        "key hashes of all entries after a store of 7",
      );
    },
  }),
];
