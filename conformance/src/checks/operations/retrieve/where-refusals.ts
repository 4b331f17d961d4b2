import { type Check, hostCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";

const LEAF = { field: "metadata.a", op: "eq", value: 1 };
const HOLDS = { field: "metadata.a", op: "exists", value: false };

/** Returns a tree with `count` nodes that matches entries without metadata. */
function treeOfNodes(count: number): object {
  return { all: Array.from({ length: count - 1 }, () => HOLDS) };
}

/** Returns such a tree with `count` levels. */
function treeOfLevels(count: number): object {
  return count === 1 ? HOLDS : { all: [treeOfLevels(count - 1)] };
}

export const whereRefusalChecks: readonly Check[] = [
  hostCheck({
    id: "where/what-is-no-tree-is-refused",
    clauses: ["CRIT-5"],
    async run({ caller, entry, expect }) {
      await caller.store(entry({ key: { id: "there" } }));
      const refused: [unknown, string][] = [
        [{ ...LEAF, op: "equals" }, "where.op"],
        [{ ...LEAF, op: "GT" }, "where.op"],
        [{ field: "metadata.a", op: "eq" }, "where.value"],
        [{ op: "eq", value: 1 }, "where.field"],
        [{ ...LEAF, value: { a: 1 } }, "where.value"],
        [{ ...LEAF, op: "in" }, "where.value"],
        [{ ...LEAF, op: "in", value: [1, { a: 1 }] }, "where.value[1]"],
        [{ ...LEAF, op: "exists", value: "yes" }, "where.value"],
        [{ any: [LEAF, { ...LEAF, op: "like" }] }, "where.any[1].op"],
        [{ not: { all: [LEAF, { any: [{ ...LEAF, field: 7 }] }] } }, "where.not.all[1].any[0].field"],
        [{ all: LEAF }, "where.all"],
        [{ and: [LEAF] }, "where.and"],
        [{ ...LEAF, case: false }, "where.case"],
        [{ all: [LEAF], any: [LEAF] }, "where"],
        [{}, "where"],
        [[LEAF], "where"],
        ["metadata.a = 1", "where"],
      ];
      for (const [where, path] of refused) {
        const what = `a retrieve with where ${JSON.stringify(where)}`;
        const request = caller.retrieve({ where: where as never });
        const { detail } = await expect.refused(request, "schema_violation", what);
        expect.equal(detail.path, path, `\`path\` in the error of ${what}`);
      }
      const sound = await caller.retrieve({ where: { not: LEAF } as never });
      expect.equal(
        foundIds(sound),
        ["there"],
        `entries for where ${JSON.stringify({ not: LEAF })}, which is valid`,
      );
    },
  }),
  hostCheck({
    id: "where/other-fields-are-refused",
    clauses: ["CRIT-16"],
    async run({ caller, entry, expect }) {
      await caller.store(entry({ key: { id: "there" } }));
      const names = ["content", "text", "context", "score", "ttl", "revision", "key_hash", "metadata", "key"];
      const spelt = [
        "Source",
        "metadata.",
        "key.",
        "metadata.a.b",
        "tags.0",
        "timestamps.created",
        "tag",
        "",
      ];
      for (const field of [...names, ...spelt]) {
        const what = `a retrieve with where on the field "${field}"`;
        const request = caller.retrieve({ where: { not: { field, op: "eq", value: "x" } } });
        const { detail } = await expect.refused(request, "schema_violation", what);
        expect.equal(detail.path, "where.not.field", `\`path\` in the error of ${what}`);
      }
      const sound = await caller.retrieve({ where: { not: { field: "source", op: "eq", value: "x" } } });
      expect.equal(foundIds(sound), ["there"], "entries for the same where on the field `source`");
    },
  }),
  hostCheck({
    id: "where/nodes-and-levels-are-bounded",
    clauses: ["CRIT-6"],
    async run({ caller, entry, expect }) {
      await caller.store(entry({ key: { id: "there" } }));
      const sound: [string, object][] = [
        ["64 nodes", treeOfNodes(64)],
        ["8 levels", treeOfLevels(8)],
      ];
      for (const [size, where] of sound) {
        const found = await caller.retrieve({ where: where as never });
        expect.equal(
          foundIds(found),
          ["there"],
          `entries for a where of ${size}, which is allowed and matches`,
        );
      }
      const large: [string, number, object][] = [
        ["65 nodes", 64, treeOfNodes(65)],
        ["9 levels", 8, treeOfLevels(9)],
        ["20 levels", 8, treeOfLevels(20)],
      ];
      for (const [size, max, where] of large) {
        const request = caller.retrieve({ where: where as never });
        const { detail } = await expect.refused(request, "too_large", `a retrieve with a where of ${size}`);
        expect.equal(detail.max, max, `\`max\` in the error of a where of ${size}`);
      }
    },
  }),
  hostCheck({
    id: "where/empty-criteria-are-refused",
    clauses: ["CRIT-15"],
    async run({ caller, entry, expect }) {
      await caller.store(entry({ key: { id: "there" } }));
      const empty: [object, string][] = [
        [{ match: {} }, "match"],
        [{ where: { all: [] } }, "where.all"],
        [{ where: { any: [] } }, "where.any"],
        [{ where: { not: { any: [] } } }, "where.not.any"],
        [{ where: { all: [HOLDS, { all: [] }] } }, "where.all[1].all"],
      ];
      for (const [criteria, path] of empty) {
        const what = `a retrieve with ${JSON.stringify(criteria)}`;
        const { detail } = await expect.refused(caller.retrieve(criteria), "schema_violation", what);
        expect.equal(detail.path, path, `\`path\` in the error of ${what}`);
        const forget = caller.forget(criteria);
        await expect.refused(forget, "schema_violation", `a forget with ${JSON.stringify(criteria)}`);
      }
      const left = await caller.retrieve({ where: { all: [HOLDS] } as never });
      expect.equal(foundIds(left), ["there"], "entries after forgets with an empty criterion were refused");
    },
  }),
];
