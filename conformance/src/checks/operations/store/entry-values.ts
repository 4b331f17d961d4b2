import type { MemoryEntry } from "@membus/protocol";
import { type Check, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import {
  FRACTIONS,
  firstDifference,
  LARGE_CONTENTS,
  longest,
  longestKey,
  NUMBERS,
  SPELLINGS,
  TIMES,
} from "../../../fixtures/extreme-values.js";
import { inBatches } from "../../../fixtures/in-batches.js";
import { readEntry } from "../../../fixtures/read-entry.js";
import type { EntryInput, RetrieveInput } from "../../../memory-agent.js";

/** Stores entries one by one, because one message may be too small for all. */
async function storeEach({ caller, expect }: MemoryContext, entries: readonly EntryInput[]): Promise<void> {
  for (const one of entries) {
    const { errors } = await caller.store(one);
    expect.equal(errors, [], `errors of a store of an entry of ${JSON.stringify(one).length} bytes`);
  }
}

/** Expects an entry to be unchanged in each given field. */
async function expectAsStored(
  { caller, expect }: MemoryContext,
  stored: EntryInput,
  what: string,
): Promise<void> {
  const read = await readEntry(caller, stored.key, ["context"]);
  expect.holds(read !== undefined, `an entry, read by its key: ${what}`, read, "one");
  for (const [name, value] of Object.entries(stored)) {
    const got = read?.[name as keyof MemoryEntry];
    expect.equal(
      firstDifference(got, value),
      undefined,
      `first difference of \`${name}\` to the stored value: ${what}`,
    );
  }
}

function largeEntries({ entry }: MemoryContext): [what: string, entry: EntryInput][] {
  return LARGE_CONTENTS.map(([what, content]) => [what, entry({ content })]);
}

function numberEntries({ entry }: MemoryContext): EntryInput[] {
  return [
    ...FRACTIONS.map((importance) => entry({ importance, content: importance })),
    ...TIMES.map((occurred_at) => entry({ occurred_at, content: occurred_at })),
    ...NUMBERS.map((number) => entry({ content: [number], metadata: { number } })),
  ];
}

function spelledEntries({ entry }: MemoryContext): EntryInput[] {
  return SPELLINGS.map((text, at) =>
    entry({
      key: { at, text },
      ...{ content: at % 2 === 0 ? text : { text }, text, context: text, source: text, group: text },
      ...{ tags: [text, `${text}!`], metadata: { text, list: [text, `${text}!`] } },
    }),
  );
}

const comeBackChecks: readonly Check[] = [
  memoryCheck({
    id: "entry/large-contents-come-back",
    clauses: ["ENTRY-17", "UPD-1", "UPD-6"],
    async run(t) {
      const { caller, expect } = t;
      const large = largeEntries(t);
      await storeEach(
        t,
        large.map(([, one]) => one),
      );
      for (const [what, one] of large) await expectAsStored(t, one, `its content is ${what}`);
      for (const [what, one] of large.slice(0, 3)) {
        const again = await caller.store(one);
        expect.equal(
          again.receipts[0]?.outcome,
          "unchanged",
          `outcome of a store of the same content, ${what}`,
        );
        await caller.store({ ...one, content: "small" });
        await expectAsStored(t, { ...one, content: "small" }, `it is small, and was ${what} before`);
        await caller.store(one);
        await expectAsStored(t, one, `it was small, and is ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "entry/numbers-come-back-exactly",
    clauses: ["ENTRY-6", "ENTRY-9", "ENTRY-10", "ENTRY-17", "RET-8", "CRIT-12", "CRIT-13"],
    async run(t) {
      const { caller, expect } = t;
      const entries = numberEntries(t);
      const { errors } = await caller.store(entries);
      expect.equal(errors, [], "errors of a store of entries of numbers of every kind");
      await inBatches(entries, (one) => expectAsStored(t, one, `its numbers are ${JSON.stringify(one)}`));
      const keysBy = async (criteria: RetrieveInput) =>
        (await caller.retrieve({ ...criteria, limit: 100 })).entries.map(({ key }) => key);
      const isOwn = (field: "importance" | "occurred_at", value: number) =>
        entries.filter((one) => one[field] === value).map(({ key }) => key);
      for (const value of FRACTIONS.filter((fraction) => fraction !== 1)) {
        const found = await keysBy({ where: { field: "importance", op: "eq", value } });
        expect.equal(found, isOwn("importance", value), `keys where importance is ${value}`);
        const [{ key } = entries[0]!] = entries.filter(({ importance }) => importance === value);
        const { total } = await caller.retrieve({ keys: [key], min_score: value });
        expect.equal(total, 1, `total of a \`min_score\` of ${value}, which is the importance of the entry`);
      }
      for (const value of TIMES) {
        const found = await keysBy({ where: { field: "occurred_at", op: "eq", value } });
        expect.equal(found, isOwn("occurred_at", value), `keys where occurred_at is ${value}`);
      }
      const first = await keysBy({ since: 0, until: 0.001 });
      expect.equal(first, isOwn("occurred_at", 0), "keys since 0 and until 0.001");
      for (const value of NUMBERS) {
        const { total } = await caller.retrieve({ where: { field: "metadata.number", op: "eq", value } });
        expect.equal(
          total,
          1,
          `total for a number in metadata of ${value}, with similar numbers in other entries`,
        );
      }
    },
  }),
  memoryCheck({
    id: "entry/spellings-come-back",
    clauses: ["ENTRY-3", "ENTRY-9", "ENTRY-17", "KEY-6"],
    async run(t) {
      const entries = spelledEntries(t);
      await t.caller.store(entries);
      await inBatches(entries, (one) =>
        expectAsStored(t, one, `its texts are ${JSON.stringify(one.source)}`),
      );
    },
  }),
  memoryCheck({
    id: "entry/longest-values-come-back",
    clauses: ["ENTRY-3", "ENTRY-9", "LIMIT-2", "KEY-5", "CRIT-2", "CRIT-4"],
    async run(t) {
      const { caller, expect, entry } = t;
      const twins = ["a", "b"].map((last) =>
        entry({ ...longest(last), key: longestKey(last), content: last }),
      );
      await storeEach(t, twins);
      for (const one of twins)
        await expectAsStored(t, one, `its fields are as long as they may be, ${one.content}`);
      for (const { key, content, tags, group, source, metadata } of twins) {
        const ways: RetrieveInput[] = [
          { keys: [key] },
          { match: key as { id: string } },
          { group },
          { tags: tags!.slice(-1) },
          { tags, tags_mode: "all" },
          { where: { field: "source", op: "eq", value: source! } },
          { where: { field: "metadata.string", op: "eq", value: metadata!.string as string } },
          { where: { field: "metadata.list", op: "eq", value: (metadata!.list as string[]).at(-1)! } },
        ];
        for (const way of ways) {
          const { entries } = await caller.retrieve(way);
          const what = `contents by ${JSON.stringify(way).slice(0, 60)}, of two that differ in the last character`;
          expect.equal(
            entries.map((found) => found.content),
            [content],
            what,
          );
        }
      }
    },
  }),
];

const apartChecks: readonly Check[] = [
  memoryCheck({
    id: "retrieve/criteria-tell-spellings-apart",
    clauses: ["CRIT-2", "CRIT-3", "CRIT-4", "CRIT-11", "FORGET-1"],
    async run(t) {
      const { caller, expect } = t;
      await caller.store(spelledEntries(t));
      await inBatches([...SPELLINGS.entries()], async ([at, text]) => {
        const ways: RetrieveInput[] = [
          { tags: [text] },
          { tags: [text, `${text}!`], tags_mode: "all" },
          { group: text },
          { match: { text } },
          { where: { field: "source", op: "eq", value: text } },
          { where: { field: "metadata.text", op: "in", value: [text] } },
          { where: { field: "metadata.list", op: "eq", value: text } },
        ];
        for (const way of ways) {
          const { entries } = await caller.retrieve({ ...way, limit: 100 });
          const what = `numbers found by ${JSON.stringify(way)}, of ${SPELLINGS.length} similar texts`;
          expect.equal(
            entries.map(({ key }) => key.at),
            [at],
            what,
          );
        }
      });
      for (const text of SPELLINGS) {
        const { deleted } = await caller.forget({ group: text });
        expect.equal(
          deleted,
          1,
          `\`deleted\` of a forget of the group ${JSON.stringify(text)}, with similar groups present`,
        );
      }
    },
  }),
  pluginCheck({
    id: "durability/values-survive-reopen",
    clauses: ["PLUG-13", "ENTRY-17"],
    features: ["durable"],
    async run(t) {
      const large = largeEntries(t);
      const twin = t.entry({ ...longest("a"), key: longestKey("a"), content: "a" });
      const rest = [...numberEntries(t), ...spelledEntries(t), twin];
      await storeEach(
        t,
        large.map(([, one]) => one),
      );
      await storeEach(t, rest);
      await t.reopen();
      for (const [what, one] of large)
        await expectAsStored(t, one, `after close and open, its content is ${what}`);
      for (const one of rest) {
        await expectAsStored(t, one, `after close and open, it is ${JSON.stringify(one).slice(0, 100)}`);
      }
    },
  }),
];

/** Values that faulty code cuts, rounds, trims or folds. */
export const entryValueChecks: readonly Check[] = [...comeBackChecks, ...apartChecks];
