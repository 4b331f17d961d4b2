import { isDeepStrictEqual } from "node:util";
import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { NEAR_CONTENTS, shortened } from "../../../fixtures/near-contents.js";
import { readEntry } from "../../../fixtures/read-entry.js";
import { vectorAt } from "../../../fixtures/vector-at.js";
import type { EntryInput } from "../../../memory-agent.js";

const FIELDS = {
  tags: ["x", "y", "x"],
  source: "import",
  metadata: { list: ["a", "b"], number: 0.3, text: "a" },
  group: "talk",
  occurred_at: 1_700_000_000,
  importance: 0.7,
};

/** Changes that faulty comparisons overlook. */
const NEAR_FIELDS: readonly Partial<EntryInput>[] = [
  { tags: ["y", "x", "x"] },
  { tags: ["x", "y"] },
  { tags: ["x", "y", "X"] },
  { tags: null },
  { source: "import " },
  { source: "" },
  { metadata: { ...FIELDS.metadata, list: ["b", "a"] } },
  { metadata: { ...FIELDS.metadata, list: ["a", "b", "b"] } },
  { metadata: { ...FIELDS.metadata, number: 0.300_000_000_000_000_04 } },
  { metadata: { ...FIELDS.metadata, text: ["a"] } },
  { metadata: {} },
  { group: "Talk" },
  { occurred_at: 1_700_000_000.000_001 },
  { importance: 0.700_000_000_000_000_1 },
  { text: "" },
  { context: " " },
];

/** A store of an entry, and a store that differs from it in one field. */
interface Pair {
  readonly first: EntryInput;
  readonly second: EntryInput;
  readonly what: string;
}

/** Expects every first store to be unchanged when it is repeated, and every second one to be an update. */
async function expectUpdates({ caller, expect }: MemoryContext, pairs: readonly Pair[]): Promise<void> {
  const outcomes = async (entries: readonly EntryInput[]) => {
    const { receipts } = await caller.store(entries);
    return receipts.map(({ outcome }) => outcome);
  };
  const firsts = pairs.map(({ first }) => first);
  await caller.store(firsts);
  const repeated = await outcomes(firsts);
  const changed = await outcomes(pairs.map(({ second }) => second));
  for (const [at, { what }] of pairs.entries()) {
    expect.equal(repeated[at], "unchanged", `outcome of a second store, before ${what}`);
    expect.equal(changed[at], "updated", `outcome of ${what}`);
  }
}

export const updateNearChecks: readonly Check[] = [
  memoryCheck({
    id: "update/near-contents-are-stored",
    clauses: ["UPD-6", "UPD-1", "STORE-8"],
    async run(t) {
      const pairs = NEAR_CONTENTS.flatMap(([one, other]) =>
        [
          [one, other],
          [other, one],
        ].map(([before, after]): Pair => {
          const first = t.entry({ content: before! });
          const what = `a store of ${shortened(after!)} over ${shortened(before!)}`;
          return { first, second: { ...first, content: after! }, what };
        }),
      );
      await expectUpdates(t, pairs);
      const read = await t.caller.retrieve({ keys: pairs.map(({ first }) => first.key) });
      for (const { second, what } of pairs) {
        const found = read.entries.find(({ key }) => isDeepStrictEqual(key, second.key));
        t.expect.equal(found?.content, second.content, `content after ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "update/near-fields-are-stored",
    clauses: ["UPD-6", "UPD-1", "UPD-2", "STORE-8"],
    async run(t) {
      const pairs = NEAR_FIELDS.map((fields): Pair => {
        const first = t.entry(FIELDS);
        const what = `a store that differs only in ${JSON.stringify(fields)} from ${JSON.stringify(FIELDS)}`;
        return { first, second: { ...first, ...fields }, what };
      });
      await expectUpdates(t, pairs);
      for (const [at, { first, what }] of pairs.entries()) {
        const [[name, value]] = Object.entries(NEAR_FIELDS[at]!) as [[keyof EntryInput, unknown]];
        const read = (await readEntry(t.caller, first.key, ["context"])) as Partial<Record<string, unknown>>;
        t.expect.equal(read?.[name], value ?? [], `${name} after ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "update/near-embeddings-are-stored",
    clauses: ["UPD-6", "UPD-2", "ENTRY-20"],
    features: ["similarity"],
    async run({ caller, entry, expect, embedder }) {
      const { embedding, embedding_model } = vectorAt(embedder, 30);
      const one = entry({ embedding, embedding_model });
      await caller.store(one);
      const { receipts: same } = await caller.store(one);
      expect.equal(same[0]?.outcome, "unchanged", "outcome of a second store of the same embedding");
      for (const at of [0, 1, embedding.length - 1]) {
        const near = Float32Array.from(embedding);
        near[at] = near[at]! + 2 ** -23;
        const { receipts } = await caller.store({ ...one, embedding: near });
        const what = `a store with another value of component ${at} in the last digit`;
        expect.equal(receipts[0]?.outcome, "updated", `outcome of ${what}`);
        await caller.store(one);
      }
    },
  }),
];
