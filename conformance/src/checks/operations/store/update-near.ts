import type { Json } from "@membus/protocol";
import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { readEntry } from "../../../fixtures/read-entry.js";
import type { EntryInput } from "../../../memory-agent.js";

/** Contents that faulty code takes for equal. Each pair differs in canonical JSON. */
const NEAR_CONTENTS: readonly (readonly [Json, Json])[] = [
  [
    [1, 2],
    [2, 1],
  ],
  [["a"], ["a", "a"]],
  [{ a: 1 }, { a: 1, b: null }],
  [{}, []],
  [null, {}],
  [null, ""],
  [false, 0],
  [1, "1"],
  [true, "true"],
  ["a", ["a"]],
  ["caf\u00e9", "cafe\u0301"],
  ["a", "A"],
  ["a", "a "],
  ["a\n", "a\r\n"],
  ["", "\u200b"],
  [0.3, 0.300_000_000_000_000_04],
  [2 ** 53 - 1, 2 ** 53 - 2],
  [1e21, 1.000_000_000_000_000_1e21],
  [{ a: { b: [1, { c: "x" }] } }, { a: { b: [1, { c: "y" }] } }],
  [`${"x".repeat(5_000)}a`, `${"x".repeat(5_000)}b`],
];

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

export const updateNearChecks: readonly Check[] = [
  memoryCheck({
    id: "update/near-contents-are-stored",
    clauses: ["UPD-6", "UPD-1", "STORE-8"],
    async run({ caller, entry, expect }) {
      for (const pair of NEAR_CONTENTS) {
        for (const [first, second] of [pair, pair.toReversed()] as readonly (readonly Json[])[]) {
          const one = entry({ content: first! });
          await caller.store(one);
          const { receipts: same } = await caller.store(one);
          const what = `content ${shortened(second!)} over ${shortened(first!)}`;
          expect.equal(
            same[0]?.outcome,
            "unchanged",
            `outcome of a second store of content ${shortened(first!)}`,
          );
          const { receipts } = await caller.store({ ...one, content: second! });
          expect.equal(receipts[0]?.outcome, "updated", `outcome of a store of ${what}`);
          expect.equal(
            (await readEntry(caller, one.key))?.content,
            second,
            `content after a store of ${what}`,
          );
        }
      }
    },
  }),
  memoryCheck({
    id: "update/near-fields-are-stored",
    clauses: ["UPD-6", "UPD-1", "UPD-2", "STORE-8"],
    async run({ caller, entry, expect }) {
      for (const fields of NEAR_FIELDS) {
        const one = entry(FIELDS);
        await caller.store(one);
        const { receipts: same } = await caller.store(one);
        expect.equal(same[0]?.outcome, "unchanged", "outcome of a second store of the same fields");
        const { receipts } = await caller.store({ ...one, ...fields });
        const what = `a store that differs only in ${JSON.stringify(fields)} from ${JSON.stringify(FIELDS)}`;
        expect.equal(receipts[0]?.outcome, "updated", `outcome of ${what}`);
        const [[name, value]] = Object.entries(fields) as [[keyof EntryInput, unknown]];
        const read = (await readEntry(caller, one.key, ["context"])) as Partial<Record<string, unknown>>;
        expect.equal(read?.[name], value ?? [], `${name} after ${what}`);
      }
    },
  }),
];

function shortened(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 10)}...${text.slice(-10)}` : text;
}
