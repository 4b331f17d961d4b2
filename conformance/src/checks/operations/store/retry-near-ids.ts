import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { refusalCodes, storeFate } from "../../../fixtures/fate-of.js";
import { newRequestId } from "../../../fixtures/request-id.js";

/** Ends of request ids that faulty code makes equal or takes for another value. */
const NEAR_ENDS: readonly string[] = [
  ...["Abc", "abc", "ABC", " Abc", "Abc ", "Abc.", "Abc_", "A_c", "A%c", "A?c", "Abc/0", "Abc/1", "Abc:0"],
  ...["caf\u00e9", "cafe\u0301", "\u00df", "ss", "\ufb01", "fi", "1", "01", "1.0", "+1", "__proto__", "null"],
  ...["Abc'--", '"Abc"', "Abc\\", "*", ">", `${"x".repeat(100)}a`, `${"x".repeat(100)}b`],
];

export const retryNearIdChecks: readonly Check[] = [
  memoryCheck({
    id: "retry/near-ids-are-apart",
    clauses: ["RETRY-1", "STATUS-1", "PLUG-14", "PLUG-15"],
    async run({ caller, entry, expect }) {
      // A run for another tier must not have used these ids.
      const [stores, forgets] = [newRequestId().slice(-8), newRequestId().slice(-8)];
      const named = (mark: string) => NEAR_ENDS.map((end) => `${mark}${end}`);
      const entries = NEAR_ENDS.map((_, at) => entry({ key: { at }, content: at }));
      const fates: unknown[] = [];
      for (const [at, id] of named(stores).entries()) {
        const what = `a first store with the id ${JSON.stringify(id)}, after ids that differ little`;
        const call = caller.store(entries[at]!, { id });
        expect.equal(await refusalCodes(call), [], `codes of ${what}`);
        const reply = await call;
        expect.equal(reply.receipts[0]?.outcome, "created", `outcome of ${what}`);
        fates.push(storeFate(reply));
      }
      for (const [at, id] of named(stores).entries()) {
        const again = await caller.store(entries[at]!, { id });
        const what = `the second store with the id ${JSON.stringify(id)}`;
        expect.equal(storeFate(again), fates[at], `result of ${what}, compared with its first`);
        const { receipts } = await caller.status(id);
        const hash = again.receipts[0]?.key_hash;
        expect.equal(receipts[0]?.key_hash, hash, `key hash in the status after ${what}`);
      }
      for (const [at, id] of named(forgets).entries()) {
        const { deleted } = await caller.forget({ keys: [{ at }], id });
        const what = `a first forget of an entry, with the id ${JSON.stringify(id)}`;
        expect.equal(deleted, 1, `\`deleted\` of ${what}, after ids that differ little`);
      }
      const { total } = await caller.retrieve({ limit: 0 });
      expect.equal(total, 0, "entries after a forget of each of them");
    },
  }),
];
