import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { readEntry } from "../../../fixtures/read-entry.js";
import type { EntryInput } from "../../../memory-agent.js";

type Keys = readonly EntryInput["key"][];

/** Distinct keys that become equal if their parts are joined with separators. */
const SEPARATED: Keys = [
  { a: "b:c" },
  { "a:b": "c" },
  { a: "b", c: "d" },
  { a: "b,c:d" },
  { a: 'b","c":"d' },
  { a: "b/c" },
  { "a/b": "c" },
  { a: "b|c" },
  { a: "b-c" },
  { "a-b": "c" },
  { a: "b\u0000c" },
  { a: "b\nc" },
];

/** Distinct keys that become equal if values are converted to text or taken out of lists and objects. */
const TYPED: Keys = [
  { v: 1 },
  { v: "1" },
  { v: true },
  { v: "true" },
  { v: null },
  { v: "null" },
  { v: "" },
  { v: [] },
  { v: {} },
  { v: [1] },
  { v: ["1"] },
  { v: [[1]] },
  { v: '["1"]' },
  { v: { w: 1 } },
  { "v.w": 1 },
  { v: 1.5 },
  { v: [1, 2] },
  { v: [2, 1] },
];

/**
 * Distinct keys that become equal by trimming, case folding or normalisation, and keys with pattern
 * characters.
 */
const SPELLED: Keys = [
  { id: "abc" },
  { id: "ABC" },
  { ID: "abc" },
  { id: " abc" },
  { id: "abc " },
  { id: "zo\u00eb" },
  { id: "zoe\u0308" },
  { id: "a%c" },
  { id: "a_c" },
  { id: "a*" },
  { id: "a.c" },
  { id: "a'c" },
  { id: ">" },
];

/** Stores one entry for each key. Each must be a new entry and be found only by its key. */
async function expectDistinct({ caller, entry, expect }: MemoryContext, keys: Keys): Promise<void> {
  const contentOf = (at: number) => `content of key ${at}`;
  for (const [at, key] of keys.entries()) {
    const { receipts } = await caller.store(entry({ key, content: contentOf(at) }));
    const before = JSON.stringify(keys.slice(0, at));
    expect.equal(
      receipts[0]?.outcome,
      "created",
      `outcome of a store of the key ${JSON.stringify(key)} after stores of ${before}`,
    );
  }
  for (const [at, key] of keys.entries()) {
    const { entries } = await caller.retrieve({ keys: [key] });
    expect.equal(
      entries.map(({ content }) => content),
      [contentOf(at)],
      `contents found by the key ${JSON.stringify(key)} among similar ones`,
    );
  }
}

export const keysIdentityChecks: readonly Check[] = [
  memoryCheck({
    id: "keys/separators-do-not-collide",
    clauses: ["KEY-5", "KEY-2"],
    run: (t) => expectDistinct(t, SEPARATED),
  }),
  memoryCheck({
    id: "keys/values-of-other-types-are-other-keys",
    clauses: ["KEY-5", "KEY-2"],
    run: (t) => expectDistinct(t, TYPED),
  }),
  memoryCheck({
    id: "keys/other-spellings-are-other-keys",
    clauses: ["KEY-5", "KEY-2"],
    run: (t) => expectDistinct(t, SPELLED),
  }),
  memoryCheck({
    id: "keys/order-of-fields-does-not-matter",
    clauses: ["KEY-5", "KEY-2"],
    async run({ caller, entry, expect }) {
      await caller.store(entry({ key: { b: 1, a: { y: [1, 2], x: "s" } }, content: "one" }));
      const reordered = { a: { x: "s", y: [1, 2] }, b: 1 };
      const { receipts } = await caller.store(entry({ key: reordered, content: "two" }));
      const what = "the same key with reordered fields at all levels";
      expect.equal(receipts[0]?.outcome, "updated", `outcome of a store of ${what}`);
      const { entries, total } = await caller.retrieve();
      expect.equal([entries[0]?.content, total], ["two", 1], `content and total after a store of ${what}`);
    },
  }),
  memoryCheck({
    id: "keys/equal-contents-are-two-entries",
    clauses: ["KEY-5", "FORGET-1"],
    async run({ caller, entry, expect }) {
      const content = { text: "the same sentence, to the letter" };
      const [first, second] = [entry({ content }), entry({ content })];
      await caller.store(first);
      const { receipts } = await caller.store(second);
      expect.equal(
        receipts[0]?.outcome,
        "created",
        "outcome of a store of another key with the same content",
      );
      const { total } = await caller.retrieve({ keys: [first.key, second.key] });
      expect.equal(total, 2, "entries of two keys with the same content");
      await caller.forget({ keys: [first.key] });
      const left = await readEntry(caller, second.key);
      expect.equal(left?.content, content, "content of the second key after a forget of the first");
    },
  }),
  memoryCheck({
    id: "keys/equal-keys-of-two-namespaces-are-two-entries",
    clauses: ["KEY-5", "SCOPE-1"],
    async run({ caller, agent, entry, expect }) {
      const below = agent({ below: "x" });
      const one = entry({ content: "one" });
      const first = await caller.store(one);
      const { receipts } = await below.store(one);
      expect.equal(
        receipts[0]?.outcome,
        "created",
        "outcome of a store of the same entry in another namespace",
      );
      await below.store({ ...one, content: "two" });
      const kept = await readEntry(caller, one.key);
      const what = "after an update of the same key in another namespace";
      expect.equal(kept?.content, "one", `content ${what}`);
      expect.equal(kept?.revision, first.receipts[0]?.revision, `revision ${what}`);
      await below.forget({ keys: [one.key] });
      const still = await readEntry(caller, one.key);
      expect.equal(still?.content, "one", "content after a forget of the same key in another namespace");
    },
  }),
  memoryCheck({
    id: "keys/equal-keys-of-two-tenants-are-two-entries",
    clauses: ["KEY-5", "SCOPE-5"],
    provisions: ["second_tenant"],
    async run({ caller, agent, entry, expect }) {
      const other = agent({ tenant: "second" });
      const one = entry({ content: "of the first tenant" });
      const first = await caller.store(one);
      const { receipts } = await other.store({ ...one, content: "of the second tenant" });
      expect.equal(receipts[0]?.outcome, "created", "outcome of a store of a key that another tenant has");
      const kept = await readEntry(caller, one.key);
      expect.equal(
        kept?.content,
        "of the first tenant",
        "content after a store of the same key by another tenant",
      );
      expect.equal(kept?.revision, first.receipts[0]?.revision, "revision after that store");
      await other.forget({ keys: [one.key] });
      const still = await readEntry(caller, one.key);
      expect.equal(
        still?.content,
        "of the first tenant",
        "content after a forget of the same key by another tenant",
      );
    },
  }),
];
