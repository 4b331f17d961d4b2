import type { Check } from "../../../catalogue/check.js";
import { memoryCheck } from "../../../catalogue/check.js";
import { readEntry } from "../../../fixtures/read-entry.js";
import type { StoreReply } from "../../../memory-agent.js";

/** Returns the code and the current revision of a refused entry. */
function refusal({ errors, receipts, stored }: StoreReply) {
  const [error] = errors;
  return { code: error?.code, revision: error?.detail.revision, receipts, stored };
}

const refusedAt = (revision: number | undefined) => ({
  code: "conflict",
  revision,
  receipts: [],
  stored: [],
});

export const conditionalChecks: readonly Check[] = [
  memoryCheck({
    id: "conditional/current-revision-is-stored",
    clauses: ["UPD-7"],
    features: ["conditional"],
    async run({ caller, entry, expect }) {
      const one = entry({ content: 1 });
      let { receipts } = await caller.store(one);
      for (const content of [2, 3]) {
        const if_revision = receipts[0]?.revision ?? -1;
        const { errors, receipts: updated } = await caller.store({ ...one, content, if_revision });
        expect.equal(
          errors,
          [],
          `errors of update ${content - 1} with the revision of the receipt before it`,
        );
        expect.equal(
          updated[0]?.outcome,
          "updated",
          `outcome of update ${content - 1} with that if_revision`,
        );
        receipts = updated;
      }
      const read = await readEntry(caller, one.key);
      expect.equal(read?.content, 3, "content after two updates with the current revision");
      expect.equal(read?.revision, receipts[0]?.revision, "revision of the entry, as in the last receipt");
    },
  }),
  memoryCheck({
    id: "conditional/former-revision-is-refused",
    clauses: ["UPD-7"],
    features: ["conditional"],
    async run({ caller, entry, expect }) {
      const one = entry({ content: "one", tags: ["kept"] });
      const created = await caller.store(one);
      const updated = await caller.store({ ...one, content: "two" });
      const if_revision = created.receipts[0]?.revision ?? -1;
      const reply = await caller.store({ ...one, content: "three", tags: ["changed"], if_revision });
      const what = "a store with the revision before the current one as if_revision";
      expect.equal(
        refusal(reply),
        refusedAt(updated.receipts[0]?.revision),
        `code and detail.revision of ${what}`,
      );
      const { content, tags, revision } = (await readEntry(caller, one.key)) ?? {};
      expect.equal(
        { content, tags, revision },
        { content: "two", tags: ["kept"], revision: updated.receipts[0]?.revision },
        `the entry after ${what}`,
      );
    },
  }),
  memoryCheck({
    id: "conditional/later-revision-is-refused",
    clauses: ["UPD-7"],
    features: ["conditional"],
    async run({ caller, entry, expect }) {
      const one = entry({ content: "one" });
      const { receipts } = await caller.store(one);
      const current = receipts[0]?.revision ?? 0;
      const reply = await caller.store({ ...one, content: "two", if_revision: current + 1 });
      const what = "a store with the current revision plus 1 as if_revision";
      expect.equal(refusal(reply), refusedAt(current), `code and detail.revision of ${what}`);
      const read = await readEntry(caller, one.key);
      expect.equal(read?.content, "one", `content after ${what}`);
    },
  }),
  memoryCheck({
    id: "conditional/equal-entry-is-refused-too",
    clauses: ["UPD-7", "UPD-6"],
    features: ["conditional"],
    async run({ caller, entry, expect }) {
      const one = entry({ content: "one" });
      const created = await caller.store({ ...one, content: "before" });
      const updated = await caller.store(one);
      const former = created.receipts[0]?.revision ?? -1;
      const current = updated.receipts[0]?.revision ?? -1;
      const reply = await caller.store({ ...one, if_revision: former });
      const what = "a store that would change nothing, with a former revision as if_revision";
      expect.equal(refusal(reply), refusedAt(current), `code and detail.revision of ${what}`);
      const { receipts } = await caller.store({ ...one, if_revision: current });
      expect.equal(
        receipts[0]?.outcome,
        "unchanged",
        "outcome of a store that changes nothing, with the current revision as if_revision",
      );
    },
  }),
  memoryCheck({
    id: "conditional/zero-demands-that-there-is-none",
    clauses: ["UPD-8", "UPD-7"],
    features: ["conditional"],
    async run({ caller, entry, expect }) {
      const one = entry({ content: "one" });
      const { errors, receipts } = await caller.store({ ...one, if_revision: 0 });
      expect.equal(errors, [], "errors of a store of a new key with if_revision 0");
      expect.equal(receipts[0]?.outcome, "created", "outcome of a store of a new key with if_revision 0");
      const reply = await caller.store({ ...one, content: "two", if_revision: 0 });
      const what = "a store of a key that exists with if_revision 0";
      expect.equal(refusal(reply), refusedAt(receipts[0]?.revision), `code and detail.revision of ${what}`);
      const read = await readEntry(caller, one.key);
      expect.equal(read?.content, "one", `content after ${what}`);
    },
  }),
  memoryCheck({
    id: "conditional/no-entry-has-revision-zero",
    clauses: ["UPD-8", "UPD-7"],
    features: ["conditional"],
    async run({ caller, entry, expect }) {
      const other = await caller.store(entry());
      const one = entry();
      const if_revision = other.receipts[0]?.revision ?? -1;
      const reply = await caller.store({ ...one, if_revision });
      const what = "a store of a new key with another key's revision as if_revision";
      expect.equal(refusal(reply), refusedAt(0), `code and detail.revision of ${what}`);
      const { total } = await caller.retrieve({ keys: [one.key] });
      expect.equal(total, 0, `entries of the key after ${what}`);
    },
  }),
  memoryCheck({
    id: "conditional/forgotten-entry-has-revision-zero",
    clauses: ["UPD-8", "UPD-7", "ENTRY-13"],
    features: ["conditional"],
    async run({ caller, entry, expect }) {
      const one = entry({ content: "one" });
      const created = await caller.store(one);
      await caller.forget({ keys: [one.key] });
      const if_revision = created.receipts[0]?.revision ?? -1;
      const reply = await caller.store({ ...one, if_revision });
      const what = "a store with the last revision of an entry that was forgotten as if_revision";
      expect.equal(refusal(reply), refusedAt(0), `code and detail.revision of ${what}`);
      const { errors, receipts } = await caller.store({ ...one, if_revision: 0 });
      expect.equal(errors, [], "errors of a store with if_revision 0 of a key that was forgotten");
      expect.equal(receipts[0]?.outcome, "created", "outcome of that store");
    },
  }),
  memoryCheck({
    id: "conditional/conflict-leaves-the-neighbours",
    clauses: ["STORE-2", "STORE-4", "STORE-7", "UPD-7"],
    features: ["conditional"],
    async run({ caller, entry, expect }) {
      const taken = entry({ content: "one" });
      await caller.store(taken);
      const batch = [
        entry(),
        { ...taken, content: "two", if_revision: 0 },
        entry(),
        entry({ if_revision: 0 }),
      ];
      const { stored, receipts, errors } = await caller.store(batch);
      const what = "a store of 4 entries with a conflict in the second";
      expect.equal(
        {
          receipts: receipts.map(({ index }) => index),
          errors: errors.map(({ index, code }) => [index, code]),
        },
        { receipts: [0, 2, 3], errors: [[1, "conflict"]] },
        `indexes of receipts and errors of ${what}`,
      );
      const keys = batch.map(({ key }) => key);
      expect.equal(stored, [keys[0], keys[2], keys[3]], `\`stored\` of ${what}`);
      const { total } = await caller.retrieve({ keys });
      expect.equal(
        total,
        4,
        `entries found by the 4 keys after ${what}, including the former one of the second`,
      );
    },
  }),
];
