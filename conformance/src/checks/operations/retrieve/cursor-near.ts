import { type Check, hostCheck } from "../../../catalogue/check.js";
import type { RetrieveInput } from "../../../memory-agent.js";

const BASE: RetrieveInput = {
  ...{ tags: ["a", "b"], group: "g", since: 1, match: { kind: "note" }, limit: 1 },
  where: { field: "metadata.rank", op: "gte", value: 1 },
};

/** Changes of the request that faulty code takes for the same request. */
const NEAR: readonly RetrieveInput[] = [
  { tags: ["b", "a"] },
  { tags: ["a", "b", "b"] },
  { tags: ["A", "b"] },
  { group: "G" },
  { group: "g " },
  { since: 1.000_001 },
  { match: { kind: "Note" } },
  { where: { field: "metadata.rank", op: "gte", value: "1" } },
  { where: { field: "metadata.rank", op: "gt", value: 1 } },
  { where: { all: [{ field: "metadata.rank", op: "gte", value: 1 }] } },
  { order: "newest" },
  { min_score: 1e-9 },
];

export const cursorNearChecks: readonly Check[] = [
  hostCheck({
    id: "cursor/of-a-near-request-is-refused",
    clauses: ["RET-9"],
    async run({ caller, entry, expect }) {
      const entries = [1, 2, 3].map((at) =>
        entry({
          key: { at, kind: "note" },
          tags: ["a"],
          group: "g",
          occurred_at: at,
          metadata: { rank: at },
        }),
      );
      await caller.store(entries);
      const { cursor, total } = await caller.retrieve(BASE);
      expect.equal(
        [typeof cursor, total],
        ["string", 3],
        "type of the cursor, and total, of a page of 1 of 3 entries",
      );
      for (const near of NEAR) {
        const what = `a retrieve with ${JSON.stringify(near)}, otherwise equal to the one that returned the cursor`;
        const { detail } = await expect.refused(
          caller.retrieve({ ...BASE, ...near, cursor }),
          "schema_violation",
          what,
        );
        expect.equal(detail.path, "cursor", `\`path\` in the error of ${what}`);
      }
      const { entries: rest } = await caller.retrieve({ ...BASE, limit: 5, cursor });
      expect.equal(
        rest.map(({ key }) => key.at),
        [2, 1],
        "numbers of the entries after that cursor with the original request",
      );
    },
  }),
];
