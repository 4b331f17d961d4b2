import { type Check, hostTierCheck, memoryCheck } from "../../../catalogue/check.js";
import { entryRefused, request, storedEntries } from "../../../fixtures/bare-messages.js";
import { readEntry } from "../../../fixtures/read-entry.js";
import type { EntryInput } from "../../../memory-agent.js";

/** Keys with their hashes from other implementations of RFC 8785 and SHA-256. */
const HASHES: readonly (readonly [EntryInput["key"], string])[] = [
  ["user_name", "b8070e95889dba804581d06ab2257b8ad48809bd2d9e2f8087ddd066bfd35a8d"],
  [{ id: "fact1" }, "24c1fab73ad66f9f3f8e87d6743cbaa54b79cc14df5eb6c723ef73fa2f2e72b1"],
  [{ b: 1, a: 2, C: 3 }, "27e01c26743085bff8e4a98d76dca93ebdb6c805f8136fae1216ee257d33f5c5"],
  [
    { z: { b: [{ y: 1, x: 2 }], a: null } },
    "252b1f1efd77560e4d955953127d3b523fc30f0e3c8a9f08d60c7415724ebf84",
  ],
  [{ n: 1e-7 }, "747d6d23b64d1b2d579adb832b44de31c91c875bbef7a8e397f5d183a746b54b"],
  [{ n: -0 }, "f3013f933b9fb80ab6d995e7ad9da36f683837ba1d81e950c943d40111eac2f0"],
  [{ who: "zoë" }, "ef227dc688587395eaa92dd4a0dddea41275e4611464a6a22224f0145932316e"],
  [{ e: "🦊" }, "4cce01eb7bbd4d87d0e7e022c78cadfe521c356510c267601779ceedee5418b3"],
];

const NO_KEYS = [{}, { "": "a field without a name" }, { a: 1, "": 2 }, 7, true, null, ["a", "list"]];
const DOLLAR_KEYS = [{ $hash: HASHES[0]![1] }, { $id: "x" }, { a: 1, $b: 2 }, { $: 1 }];

export const keysFormChecks: readonly Check[] = [
  memoryCheck({
    id: "keys/string-is-short-for-name",
    clauses: ["KEY-1", "KEY-6"],
    async run({ caller, entry, expect }) {
      const name = "user_name";
      const { receipts } = await caller.store(entry({ key: name, content: "one" }));
      const read = await readEntry(caller, { name });
      expect.equal(
        read?.content,
        "one",
        "content found by {name: user_name} after a store of the key `user_name`",
      );
      expect.equal(read?.key, { name }, "key of that entry");
      const { receipts: again } = await caller.store(entry({ key: { name }, content: "two" }));
      expect.equal(again[0]?.outcome, "updated", "outcome of a store of {name: user_name} over that entry");
      expect.equal(again[0]?.key_hash, receipts[0]?.key_hash, "key_hash of both receipts");
    },
  }),
  memoryCheck({
    id: "keys/returned-as-objects",
    clauses: ["KEY-6", "STORE-4"],
    async run({ caller, entry, expect }) {
      const keys = ["user_name", { nested: { list: [1, "1", null] }, n: 1.5 }];
      const objects = [{ name: "user_name" }, keys[1]];
      const { stored } = await caller.store(keys.map((key) => entry({ key })));
      expect.equal(
        stored,
        objects,
        "`stored` of a store of a key that is a string and one that is an object",
      );
      const { entries } = await caller.retrieve({ keys });
      expect.sameMembers(
        entries.map(({ key }) => key),
        objects,
        "keys of the entries that a retrieve by the same keys returns",
      );
    },
  }),
  memoryCheck({
    id: "keys/hash-is-of-canonical-json",
    clauses: ["KEY-2"],
    async run({ caller, entry, expect }) {
      const { receipts } = await caller.store(HASHES.map(([key]) => entry({ key })));
      for (const [at, [key, hash]] of HASHES.entries()) {
        const shown = JSON.stringify(key);
        expect.equal(receipts[at]?.key_hash, hash, `key_hash in the receipt of the key ${shown}`);
        const read = await readEntry(caller, key);
        expect.equal(read?.key_hash, hash, `key_hash of the entry found by the key ${shown}`);
      }
    },
  }),
  memoryCheck({
    id: "keys/named-by-object-string-or-hash",
    clauses: ["KEY-4", "CRIT-2"],
    async run({ caller, entry, expect }) {
      const [[key, $hash]] = HASHES as [(typeof HASHES)[0]];
      await caller.store([entry({ key, content: "meant" }), entry()]);
      for (const reference of ["user_name", { name: "user_name" }, { $hash }]) {
        const { entries, total } = await caller.retrieve({ keys: [reference] });
        const what = `a retrieve with keys [${JSON.stringify(reference)}]`;
        expect.equal([entries[0]?.content, total], ["meant", 1], `content and total of ${what}`);
      }
      const absent = { $hash: "0".repeat(64) };
      const { total } = await caller.retrieve({ keys: [absent] });
      expect.equal(total, 0, "total of a retrieve by the hash of an unknown key");
      const { deleted } = await caller.forget({ keys: [{ $hash }, absent] });
      expect.equal(deleted, 1, "`deleted` of a forget of two hashes, one of a known key");
      const left = await caller.retrieve();
      expect.equal(left.total, 1, "entries left of two after a forget of one of them by its hash");
    },
  }),
  hostTierCheck({
    id: "keys/what-is-no-key-is-refused",
    clauses: ["KEY-1"],
    async run(t) {
      for (const key of NO_KEYS) {
        const store = request(t, "store", { entries: [{ ...t.entry(), key }] });
        await entryRefused(t, `the key ${JSON.stringify(key)}`, store, "schema_violation");
      }
      const { key: _, ...keyless } = t.entry();
      const store = request(t, "store", { entries: [keyless] });
      await entryRefused(t, "an entry without a key", store, "schema_violation");
      t.expect.equal(await storedEntries(t), [], "entries after stores of invalid keys");
    },
  }),
  hostTierCheck({
    id: "keys/fields-with-dollar-are-refused",
    clauses: ["KEY-3"],
    async run(t) {
      for (const key of DOLLAR_KEYS) {
        const store = request(t, "store", { entries: [{ ...t.entry(), key }] });
        await entryRefused(t, `the key ${JSON.stringify(key)}`, store, "schema_violation");
      }
      t.expect.equal(
        await storedEntries(t),
        [],
        "entries after stores of keys with fields that begin with $",
      );
      const { errors } = await t.caller.store(t.entry({ key: { a$: 1, b: "$c" } }));
      t.expect.equal(
        errors,
        [],
        "errors of a store of a key with $ elsewhere than at the beginning of a field's name",
      );
    },
  }),
];
