import type { Criteria, Filter, MemoryEntry } from "@membus/protocol";
import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { generateEntries, generateTree } from "../../../fixtures/generate-filter.js";
import { HERON } from "../../../fixtures/heron-entry.js";
import { readEntry } from "../../../fixtures/read-entry.js";
import { newRequestId } from "../../../fixtures/request-id.js";
import type { EntryInput } from "../../../memory-agent.js";

const GENERATED = 40;
const TREES = 8;

/** Reads of every kind that return none of the entries with the tag `quiet`. */
function quietReads({ caller, features }: MemoryContext): Readonly<Record<string, () => Promise<unknown>>> {
  const quiet = { tags: ["quiet"] };
  return {
    "a retrieve with limit 0": () => caller.retrieve({ ...quiet, limit: 0 }),
    "a retrieve of another key": () => caller.retrieve({ keys: [{ id: "loud" }] }),
    "a retrieve with limit 1 that it also matches": () => caller.retrieve({ limit: 1 }),
    "a retrieve with criteria that leave it out": () => caller.retrieve({ tags: ["loud"] }),
    "a dry run of a forget": () => caller.forget({ ...quiet, dry_run: true }),
    ...(features.full_text && {
      "a query that finds another": () => caller.retrieve({ query: "heron", mode: "text" }),
    }),
    ...(features.list && {
      "a list of its tags": () => caller.list({ ...quiet, field: "tags" }),
      "a list of its namespace": () => caller.list(quiet),
    }),
  };
}

/** Returns all that requests return of the caller's entries, apart from the time of the last read. */
async function everything({ caller, features }: MemoryContext) {
  const { entries, total } = await caller.retrieve({ limit: 100, include: ["context"] });
  const lists = features.list ? [await caller.list(), await caller.list({ field: "tags" })] : [];
  const shown = entries.map(({ timestamps: { created, updated }, ...fields }) => ({
    ...fields,
    created,
    updated,
  }));
  return { entries: shown, total, lists: lists.map(({ items, total: values }) => ({ items, values })) };
}

/** Returns the numbers of matching entries that different requests return. */
async function countsOf({ caller, features }: MemoryContext, criteria: Criteria) {
  const all = Object.keys(criteria).length === 0;
  const counted = await caller.retrieve({ ...criteria, limit: 0 });
  const one = await caller.retrieve({ ...criteria, limit: 1 });
  const page = await caller.retrieve({ ...criteria, limit: 1_000 });
  const { deleted } = await caller.forget({ ...criteria, ...(all && { all }), dry_run: true });
  const listed = features.list ? (await caller.list(criteria)).items : undefined;
  return {
    "`total` with limit 0": counted.total,
    "`total` with limit 1": one.total,
    "`total` with limit 1000": page.total,
    "entries with limit 1000": page.entries.length,
    "`deleted` of a dry run": deleted,
    ...(listed && { "count of a list of namespaces": listed.reduce((sum, { count }) => sum + count, 0) }),
  };
}

/** Effects of reading, and numbers that must agree. */
export const readingChecks: readonly Check[] = [
  memoryCheck({
    id: "entry/accessed-is-the-last-return",
    clauses: ["ENTRY-22"],
    tiers: ["working"],
    async run(t) {
      const { caller, entry, expect, passTime } = t;
      const [quiet, control] = [
        entry({ tags: ["quiet"], occurred_at: 5 }),
        entry({ tags: ["control"], occurred_at: 5 }),
      ];
      await caller.store([quiet, entry({ ...HERON, key: { id: "loud" }, tags: ["loud"], occurred_at: 9 })]);
      const reads = quietReads(t);
      for (const read of Object.values(reads)) {
        await passTime(0.05);
        await read();
      }
      await caller.store(control);
      await passTime(0.05);
      const returned = async ({ key }: EntryInput) => (await readEntry(caller, key))?.timestamps;
      const first = await returned(control);
      // A tier that counts the read that returns an entry never shows an earlier one.
      const countsItself = (first?.accessed ?? 0) > (first?.updated ?? 0);
      if (!countsItself) {
        const { accessed, updated } = (await returned(quiet)) ?? {};
        const what = `\`accessed\` minus \`updated\` of an entry after ${Object.keys(reads).join(", ")}`;
        expect.equal((accessed ?? 0) - (updated ?? 0), 0, what);
      }
      const former = await returned(quiet);
      await passTime(0.05);
      const { accessed = 0 } = (await returned(quiet)) ?? {};
      expect.atLeast(accessed, former?.accessed ?? 1, "`accessed` of an entry that is read a second time");
      expect.holds(
        accessed > (former?.updated ?? 0),
        "`accessed` of an entry that was returned before",
        accessed,
        "a time after its store",
      );
    },
  }),
  memoryCheck({
    id: "retrieve/reading-changes-nothing",
    clauses: ["RET-48"],
    async run(t) {
      const { caller, entry, expect, features, passTime } = t;
      const entries = [0, 1, 2, 3].map((at) =>
        entry({
          content: `heron number ${at}`,
          tags: ["quiet", `t${at}`],
          occurred_at: at,
          importance: at / 4,
          context: "c",
        }),
      );
      const id = newRequestId();
      await caller.store(entries, { id });
      const before = await everything(t);
      expect.equal(before.total, 4, "total of 4 entries before they are read");
      const keys = entries.map(({ key }) => key);
      for (let round = 0; round < 3; round++) {
        await passTime(0.05);
        for (const read of Object.values(quietReads(t))) await read();
        for (const key of keys) await caller.retrieve({ keys: [key] });
        await caller.retrieve({ limit: 2, order: "oldest", include: ["context"] });
        if (features.full_text) await caller.retrieve({ query: "heron number 3", mode: "text" });
        if (features.similarity) await caller.retrieve({ query: "heron number 1", mode: "vector" });
        await caller.status(id);
      }
      const what = "entries, total and lists after reads of every kind, apart from `accessed`";
      expect.equal(await everything(t), before, what);
      const { receipts } = await caller.store(entries);
      expect.equal(
        receipts.map(({ outcome }) => outcome),
        entries.map(() => "unchanged"),
        "outcomes of the same store after reads of every kind",
      );
    },
  }),
  memoryCheck({
    id: "retrieve/counts-agree",
    clauses: ["RET-3", "RET-2", "FORGET-2", "FORGET-5"],
    async run(t) {
      const { caller, entry, expect, random } = t;
      await caller.store(generateEntries(random, GENERATED).map(entry));
      const { entries } = await caller.retrieve({ limit: 1_000 });
      expect.equal(entries.length, GENERATED, "entries of a retrieve after as many stores");
      const [first, second, third] = entries;
      const tree = () => generateTree(random, entries as MemoryEntry[] as never, 2) as Filter;
      const criteria: Criteria[] = [
        {},
        { tags: ["a", "b", "ab", "A"] },
        { tags: ["a", "b"], tags_mode: "all" },
        { keys: [first!.key, first!.key, second!.key, { $hash: third!.key_hash }] },
        { since: 0.25, until: 10 },
        ...Array.from({ length: TREES }, () => ({ where: tree() })),
      ];
      for (const one of criteria) {
        const counts = await countsOf(t, one);
        const expected = Object.fromEntries(
          Object.keys(counts).map((name) => [name, counts["entries with limit 1000"]]),
        );
        expect.equal(counts, expected, `numbers of the entries for ${JSON.stringify(one)}, all alike`);
      }
      const one = criteria.at(-1)!;
      const { total } = await caller.retrieve({ ...one, limit: 0 });
      const { deleted, receipt } = await caller.forget(total === 0 ? { all: true } : one);
      const gone = total === 0 ? GENERATED : total;
      expect.equal([deleted, receipt.by_tier[t.tier]], [gone, gone], "`deleted` and `by_tier` of a forget");
      const left = await countsOf(t, {});
      const expected = Object.fromEntries(Object.keys(left).map((name) => [name, GENERATED - gone]));
      expect.equal(left, expected, "numbers of the entries that a forget left");
    },
  }),
];
