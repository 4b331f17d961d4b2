import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { readEntry } from "../../../fixtures/read-entry.js";
import type { EntryInput } from "../../../memory-agent.js";

/** All fields that a caller chooses, including lists and objects. */
const FIELDS = {
  content: { a: 1, b: { c: "x", d: [1, { e: 2, f: 3 }] } },
  tags: ["x", "y"],
  source: "import",
  metadata: { lang: "en", rank: 1 },
  text: "what to index",
  context: "said before it",
  group: "a conversation",
  occurred_at: 1_700_000_000,
  importance: 0.5,
};

/** Changes of one field of `FIELDS` each. */
const DIFFERENCES: readonly Partial<EntryInput>[] = [
  { content: { a: "1", b: { c: "x", d: [1, { e: 2, f: 3 }] } } },
  { content: { a: 1, b: { c: "x", d: [{ e: 2, f: 3 }, 1] } } },
  { tags: ["x"] },
  { source: "form" },
  { metadata: { lang: "en", rank: "1" } },
  { metadata: { lang: "en" } },
  { metadata: null },
  { text: "what else to index" },
  { context: "said behind it" },
  { group: "another" },
  { occurred_at: 1_700_000_000.5 },
  { importance: 0.25 },
];

export const updateUnchangedChecks: readonly Check[] = [
  memoryCheck({
    id: "update/unchanged-makes-no-revision",
    clauses: ["UPD-6", "STORE-8"],
    async run({ caller, entry, expect, passTime }) {
      const same = entry(FIELDS);
      const { receipts: first } = await caller.store(same);
      const before = await readEntry(caller, same.key, ["context"]);
      await passTime(1);
      const { receipts, stored } = await caller.store(same);
      expect.equal(receipts[0]?.outcome, "unchanged", "outcome of the same store repeated");
      expect.equal(
        receipts[0]?.revision,
        first[0]?.revision,
        "revision in the receipt of a store that changes nothing",
      );
      expect.equal(stored, [same.key], "`stored` of a store that changes nothing");
      const after = await readEntry(caller, same.key, ["context"]);
      expect.equal(after?.revision, before?.revision, "revision after a store that changes nothing");
      expect.equal(
        after?.timestamps.updated,
        before?.timestamps.updated,
        "`timestamps.updated` after a store that changes nothing, a second later",
      );
    },
  }),
  memoryCheck({
    id: "update/order-of-fields-changes-nothing",
    clauses: ["UPD-6"],
    async run({ caller, entry, expect }) {
      const first = entry(FIELDS);
      const { receipts: created } = await caller.store(first);
      const { receipts } = await caller.store({
        ...first,
        content: { b: { d: [1, { f: 3, e: 2 }], c: "x" }, a: 1 },
        metadata: { rank: 1, lang: "en" },
      });
      expect.equal(
        receipts[0]?.outcome,
        "unchanged",
        "outcome of the same store with the fields of content and metadata in another order",
      );
      expect.equal(receipts[0]?.revision, created[0]?.revision, "revision in the receipt of that store");
    },
  }),
  memoryCheck({
    id: "update/every-difference-is-stored",
    clauses: ["UPD-6", "STORE-8"],
    async run({ caller, entry, expect }) {
      for (const difference of DIFFERENCES) {
        const first = entry(FIELDS);
        await caller.store(first);
        const { receipts } = await caller.store({ ...first, ...difference });
        const what = `a store that differs from the entry only in ${JSON.stringify(difference)}`;
        expect.equal(receipts[0]?.outcome, "updated", `outcome of ${what}`);
        const [[name, value]] = Object.entries(difference) as [[keyof typeof FIELDS, unknown]];
        const updated = await readEntry(caller, first.key, ["context"]);
        expect.equal(updated?.[name] ?? null, value, `${name} after ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "update/fields-of-a2e-alone-are-unchanged",
    clauses: ["UPD-6", "UPD-2", "ENTRY-6"],
    async run({ caller, entry, expect }) {
      const first = entry(FIELDS);
      const { receipts: created } = await caller.store(first);
      const { key, content, tags, source } = first;
      const { receipts } = await caller.store(entry({ key, content, tags, source, score: 0.125 }));
      const what = "the same key, content, tags and source with a score and no other field";
      expect.equal(receipts[0]?.outcome, "unchanged", `outcome of a store of ${what}`);
      expect.equal(receipts[0]?.revision, created[0]?.revision, `revision in the receipt of ${what}`);
      const { metadata, group, importance } = (await readEntry(caller, key)) ?? {};
      const { metadata: kept, group: keptGroup, importance: keptImportance } = FIELDS;
      expect.equal(
        { metadata, group, importance },
        { metadata: kept, group: keptGroup, importance: keptImportance },
        `metadata, group and importance after a store of ${what}`,
      );
    },
  }),
  memoryCheck({
    id: "update/stored-as-retrieved-is-unchanged",
    clauses: ["UPD-6", "ENTRY-7"],
    async run({ caller, entry, expect }) {
      const first = entry(FIELDS);
      await caller.store(first);
      const read = await readEntry(caller, first.key, ["context"]);
      expect.equal(read?.content, FIELDS.content, "content of the entry to be stored again");
      const { receipts, errors } = await caller.store({
        ...(read as object),
        key: first.key,
        content: read?.content ?? null,
      });
      expect.equal(errors, [], "errors of a store of an entry as it was retrieved");
      expect.equal(receipts[0]?.outcome, "unchanged", "outcome of a store of an entry as it was retrieved");
      const { receipts: changed } = await caller.store({
        ...(read as object),
        key: first.key,
        content: "changed",
      });
      expect.equal(
        changed[0]?.outcome,
        "updated",
        "outcome of a store of a retrieved entry with other content",
      );
    },
  }),
  memoryCheck({
    id: "update/an-end-is-never-unchanged",
    clauses: ["UPD-6", "UPD-4"],
    features: ["ttl"],
    async run({ caller, entry, expect }) {
      const [endless, ending, renewed] = [entry(), entry({ ttl: 3_600 }), entry({ ttl: 3_600 })];
      const created = await caller.store([endless, ending, renewed]);
      const { receipts } = await caller.store([
        { ...endless, ttl: 3_600 },
        { ...ending, ttl: null },
        renewed,
      ]);
      const what = "the same three entries: with a new ttl, without one, with the same one";
      expect.equal(
        receipts.map(({ outcome }) => outcome),
        ["updated", "updated", "updated"],
        `outcomes of a store of ${what}`,
      );
      const grown = receipts.map(
        ({ revision }, at) => revision > (created.receipts[at]?.revision ?? revision),
      );
      expect.equal(grown, [true, true, true], `whether a store of ${what} increased the revisions`);
      const ends = [await readEntry(caller, endless.key), await readEntry(caller, ending.key)];
      expect.equal(
        ends.map((one) => one?.ttl),
        [3_600, null],
        "ttl of the same content stored with ttl 3600 over none, and with none over 3600",
      );
    },
  }),
];
