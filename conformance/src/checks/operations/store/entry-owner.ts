import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { inBatches } from "../../../fixtures/in-batches.js";
import { LIKE_NAMES } from "../../../fixtures/like-names.js";
import { valueCounts } from "../../../fixtures/listed.js";
import type { EntryInput } from "../../../memory-agent.js";

/** Expects the entries of each author, and of each source, as `where` and lists find them. */
async function expectOwners(
  { caller, expect, features }: MemoryContext,
  owners: Readonly<Record<"author" | "source", Readonly<Record<string, readonly string[]>>>>,
  when: string,
): Promise<void> {
  for (const field of ["author", "source"] as const) {
    for (const [value, ids] of Object.entries(owners[field])) {
      const found = await caller.retrieve({ where: { field, op: "eq", value } });
      expect.sameMembers(foundIds(found), ids, `ids of the entries with the ${field} ${value}, ${when}`);
      const other = await caller.retrieve({ where: { field, op: "ne", value } });
      const rest = Object.values(owners[field])
        .flat()
        .filter((id) => !ids.includes(id));
      expect.sameMembers(
        foundIds(other),
        rest,
        `ids of the entries with another ${field} than ${value}, ${when}`,
      );
    }
    if (!features.list) continue;
    const listed = valueCounts(await caller.list({ field }));
    const counts = Object.entries(owners[field]).filter(([, ids]) => ids.length > 0);
    const expected = counts.map(([value, ids]) => [value, ids.length]);
    expect.sameMembers(listed, expected, `values and counts of a list of ${field}, ${when}`);
  }
}

/** Authors and sources of entries that several agents write. */
export const entryOwnerChecks: readonly Check[] = [
  memoryCheck({
    id: "entry/author-and-source-follow-each-update",
    clauses: ["ENTRY-16", "UPD-1", "UPD-5", "CRIT-16"],
    features: ["shared"],
    tiers: ["semantic"],
    async run(t) {
      const { caller, entry } = t;
      const second = t.agent({ agent: "second" });
      const [one, two] = [caller.agent, second.agent];
      const named = (id: string, fields: Partial<EntryInput> = {}) =>
        entry({ key: { id }, content: "first", ...fields });
      await caller.store([named("a"), named("b"), named("claimed", { source: two })]);
      await second.store([named("c"), named("d", { source: one })]);
      const first = { [one]: ["a", "b", "claimed"], [two]: ["c", "d"] };
      await expectOwners(
        t,
        { author: first, source: { [one]: ["a", "b", "d"], [two]: ["claimed", "c"] } },
        "as stored",
      );
      await second.store([named("a"), named("claimed", { source: two, content: "second" })]);
      await caller.store(named("d", { source: "a document" }));
      await expectOwners(
        t,
        {
          author: { [one]: ["b", "d"], [two]: ["a", "c", "claimed"] },
          source: { [one]: ["b"], [two]: ["a", "claimed", "c"], "a document": ["d"] },
        },
        "after updates by the other agent",
      );
      await caller.store(named("a", { tags: ["t"] }));
      await second.store(named("d", { source: "a document" }));
      await caller.forget({ where: { field: "author", op: "eq", value: two } });
      await expectOwners(
        t,
        { author: { [one]: ["a", "b", "d"], [two]: [] }, source: { [one]: ["a", "b"], "a document": ["d"] } },
        "after an update back, a store that changed nothing, and a forget of the other agent's entries",
      );
    },
  }),
  memoryCheck({
    id: "entry/authors-of-like-names-are-apart",
    clauses: ["ENTRY-16", "CRIT-10", "CRIT-16"],
    features: ["shared"],
    tiers: ["semantic"],
    async run(t) {
      const { agent, caller, entry, expect, features } = t;
      const authors = LIKE_NAMES.map((name) => agent({ named: { agent: name } }));
      await inBatches(authors, (one) => one.store(entry({ key: { id: one.agent }, source: "s" })));
      const count = LIKE_NAMES.length;
      await inBatches(LIKE_NAMES, async (value) => {
        const what = `${JSON.stringify(value)} on author, of ${count} entries of agents with similar names`;
        const found = foundIds(await caller.retrieve({ where: { field: "author", op: "eq", value } }));
        expect.equal(found, [value], `ids with \`eq\` ${what}`);
        const { total } = await caller.retrieve({ where: { field: "author", op: "ne", value }, limit: 0 });
        expect.equal(total, count - 1, `total with \`ne\` ${what}`);
      });
      if (!features.list) return;
      const listed = valueCounts(await caller.list({ field: "author", limit: 1_000 }));
      expect.sameMembers(
        listed,
        LIKE_NAMES.map((name) => [name, 1]),
        `authors and counts of a list of ${count} entries of agents with similar names`,
      );
    },
  }),
];
