import { type Check, hostCheck } from "../../../catalogue/check.js";
import { refusalCodes } from "../../../fixtures/fate-of.js";
import { inBatches } from "../../../fixtures/in-batches.js";
import { NEAR_CONTENTS, shortened } from "../../../fixtures/near-contents.js";
import { newRequestId } from "../../../fixtures/request-id.js";
import type { EntryInput, ForgetInput } from "../../../memory-agent.js";

const FIELDS = {
  ...{ content: "c", tags: ["x", "y"], source: "s", group: "g", occurred_at: 1_700_000_000, importance: 0.7 },
  metadata: { list: ["a", "b"], number: 0.3 },
};

/** Changes of an entry that faulty digests overlook. */
const NEAR_ENTRIES: readonly Partial<EntryInput>[] = [
  { tags: ["y", "x"] },
  { tags: ["x", "y", "y"] },
  { source: "S" },
  { source: "s " },
  { group: "G" },
  { occurred_at: 1_700_000_000.000_001 },
  { importance: 0.700_000_000_000_000_1 },
  { metadata: { list: ["b", "a"], number: 0.3 } },
  { metadata: { list: ["a", "b"], number: 0.300_000_000_000_000_04 } },
  { ttl: 3_600 },
  { score: 0.5 },
];

const NEAR_FORGETS: readonly (readonly [ForgetInput, ForgetInput])[] = [
  [{ tags: ["a", "b"] }, { tags: ["b", "a"] }],
  [{ tags: ["a"] }, { tags: ["A"] }],
  [{ tags: ["a"] }, { tags: ["a"], tags_mode: "all" }],
  [{ keys: [{ id: 1 }] }, { keys: [{ id: "1" }] }],
  [{ since: 1 }, { since: 1.000_001 }],
  [{ group: "caf\u00e9" }, { group: "cafe\u0301" }],
];

export const retryNearBodyChecks: readonly Check[] = [
  hostCheck({
    id: "retry/near-bodies-are-conflicts",
    clauses: ["RETRY-1", "RETRY-2"],
    async run({ caller, entry, expect, features }) {
      const pairs: {
        readonly first: EntryInput;
        readonly change: Partial<EntryInput>;
        readonly what: string;
      }[] = [
        ...NEAR_CONTENTS.map(([content, other]) => {
          const what = `a store of ${shortened(other)} with the id of a store of ${shortened(content)}`;
          return { first: entry({ content }), change: { content: other }, what };
        }),
        ...NEAR_ENTRIES.filter(({ ttl }) => ttl === undefined || features.ttl).map((change) => {
          const what = `a store that differs only in ${JSON.stringify(change)} from the first one with its id`;
          return { first: entry(FIELDS), change, what };
        }),
      ];
      await inBatches(pairs, async ({ first, change, what }) => {
        const id = newRequestId();
        expect.equal(
          await refusalCodes(caller.store(first, { id })),
          [],
          `codes of the first store, before ${what}`,
        );
        const second = caller.store({ ...first, ...change }, { id });
        expect.equal(await refusalCodes(second), ["conflict"], `codes of ${what}`);
      });
      for (const [first, second] of NEAR_FORGETS) {
        const id = newRequestId();
        const what = `a forget with ${JSON.stringify(second)} and the id of one with ${JSON.stringify(first)}`;
        await caller.forget({ ...first, id });
        await expect.refused(caller.forget({ ...second, id }), "conflict", what);
      }
    },
  }),
];
