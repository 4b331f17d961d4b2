import { FILTER_OPERATORS, type FilterableEntry, type MemoryEntry, matches } from "@membus/protocol";
import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { generateEntries, generateLeaf, generateTree } from "../../../fixtures/generate-filter.js";
import type { EntryInput } from "../../../memory-agent.js";

const ENTRY_COUNT = 16;
const LEAVES_PER_OPERATOR = 10;
const TREE_COUNT = 50;

export const whereGeneratedChecks: readonly Check[] = [
  memoryCheck({
    id: "where/agrees-with-matches",
    clauses: ["PLUG-8", "CRIT-5"],
    async run({ caller, entry, expect, random }) {
      const stored = generateEntries(random, ENTRY_COUNT).map((fields) => entry(fields));
      await caller.store(stored);
      const listed = await caller.retrieve({ limit: 100 });
      expect.equal(listed.total, ENTRY_COUNT, `total after a store of ${ENTRY_COUNT} entries`);
      const filterables = stored.map((input) => filterableOf(input, listed.entries));
      const operators = FILTER_OPERATORS.flatMap((op) => new Array<typeof op>(LEAVES_PER_OPERATOR).fill(op));
      const leaves = operators.map((op) => generateLeaf(random, filterables, op));
      const trees = Array.from({ length: TREE_COUNT }, () => generateTree(random, filterables, 3));
      for (const where of [...leaves, ...trees]) {
        const found = new Set(foundIds(await caller.retrieve({ where, limit: 100 })));
        const expected = filterables.filter((entry) => matches(entry, where));
        const wrong = filterables.find((entry) => found.has(entry.key.id) !== matches(entry, where));
        expect.sameMembers(
          [...found],
          expected.map(({ key }) => key.id),
          `ids of the entries for which ${JSON.stringify(where)} holds; ${shownEntry(wrong)}`,
        );
      }
    },
  }),
];

/** Returns the stored entry with the fields that the host sets, taken from a listing. */
function filterableOf(input: EntryInput, listed: readonly MemoryEntry[]): FilterableEntry {
  const { key, metadata, tags, source, group, importance, occurred_at } = input;
  const { key_hash, author, timestamps } = listed.find(
    ({ key: own }) => own.id === (key as { id: number }).id,
  )!;
  const fields = { key, metadata, tags, source, group, importance, occurred_at };
  return { ...fields, key_hash, author, timestamps } as object as FilterableEntry;
}

function shownEntry(entry: FilterableEntry | undefined): string {
  return entry === undefined ? "all are correct" : `a wrong one is ${JSON.stringify(entry)}`;
}
