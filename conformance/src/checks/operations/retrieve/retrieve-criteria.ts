import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";

export const retrieveCriteriaChecks: readonly Check[] = [
  memoryCheck({
    id: "retrieve/criteria-are-anded",
    clauses: ["CRIT-1"],
    async run({ caller, entry, expect }) {
      const sound = { tags: ["red"], group: "g1", occurred_at: 150, metadata: { lang: "en" } };
      const keys = ["meets all", "tag", "group", "early", "late", "metadata"].map((id) => ({
        id,
        kind: "note",
      }));
      const [all, tag, group, early, late, metadata] = keys;
      const otherKind = { id: "match", kind: "task" };
      await caller.store([
        entry({ ...sound, key: all! }),
        entry({ ...sound, key: tag!, tags: ["blue"] }),
        entry({ ...sound, key: group!, group: "g2" }),
        entry({ ...sound, key: early!, occurred_at: 50 }),
        entry({ ...sound, key: late!, occurred_at: 250 }),
        entry({ ...sound, key: metadata!, metadata: { lang: "de" } }),
        entry({ ...sound, key: otherKind }),
        entry({ ...sound, key: { id: "keys", kind: "note" } }),
      ]);
      const found = await caller.retrieve({
        keys: [...keys, otherKind],
        match: { kind: "note" },
        tags: ["red"],
        group: "g1",
        since: 100,
        until: 200,
        where: { field: "metadata.lang", op: "eq", value: "en" },
      });
      const what =
        "entries for keys, match, tags, group, since, until and where combined, with 7 entries that fail one each";
      expect.equal(foundIds(found), ["meets all"], what);
      expect.equal(found.total, 1, `total of the same: ${what}`);
    },
  }),
  memoryCheck({
    id: "retrieve/keys-select-by-hash",
    clauses: ["CRIT-2"],
    async run({ caller, entry, expect }) {
      const ids = ["a", "b", "c", "d"];
      await caller.store(ids.map((id) => entry({ key: { id, of: "this check" } })));
      const keys = [
        { id: "c", of: "this check" },
        { of: "this check", id: "a" },
        { id: "c", of: "this check" },
        { id: "absent" },
        { id: "b" },
      ];
      const found = await caller.retrieve({ keys });
      expect.sameMembers(
        foundIds(found),
        ["a", "c"],
        "entries for 5 keys: two stored ones, one of them twice and once with reordered fields, and two unknown ones",
      );
      expect.equal(found.total, 2, "total for keys with two stored ones");
    },
  }),
  memoryCheck({
    id: "retrieve/group-is-equal",
    clauses: ["CRIT-2"],
    async run({ caller, entry, expect }) {
      const groups = ["talk-1", "talk-1", "talk-10", "talk", "Talk-1", "x talk-1", undefined];
      await caller.store(groups.map((group, id) => entry({ key: { id }, ...(group && { group }) })));
      const found = await caller.retrieve({ group: "talk-1" });
      expect.sameMembers(
        foundIds(found),
        [0, 1],
        `entries of the group talk-1, where the groups are ${JSON.stringify(groups)}`,
      );
    },
  }),
  memoryCheck({
    id: "retrieve/match-holds-whatever-else-the-key-has",
    clauses: ["CRIT-3"],
    async run({ caller, entry, expect }) {
      await caller.store([
        entry({ key: { id: 1, user: "ann", topic: "tea" } }),
        entry({ key: { id: 2, user: "ann" } }),
        entry({ key: { id: 3, user: "bob", topic: "tea" } }),
        entry({ key: { id: 4, user: "anna" } }),
        entry({ key: { id: 5, inner: { user: "ann" } } }),
      ]);
      expect.sameMembers(
        foundIds(await caller.retrieve({ match: { user: "ann" } })),
        [1, 2],
        "entries for match {user: ann}, which two keys contain",
      );
      expect.sameMembers(
        foundIds(await caller.retrieve({ match: { topic: "tea", user: "ann" } })),
        [1],
        "entries for match {topic: tea, user: ann}, which one key contains",
      );
    },
  }),
  memoryCheck({
    id: "retrieve/match-compares-canonical-json",
    clauses: ["CRIT-3"],
    async run({ caller, entry, expect }) {
      const values = {
        number: 1,
        text: "1",
        yes: true,
        list: ["x", "y"],
        turned: ["y", "x"],
        object: { b: 2, a: [1] },
      };
      await caller.store(Object.entries(values).map(([id, value]) => entry({ key: { id, value } })));
      const matching = async (value: string | number | boolean | string[] | Record<string, unknown>) =>
        foundIds(await caller.retrieve({ match: { value } as never }));
      expect.equal(
        await matching(1),
        ["number"],
        'ids for match of the number 1, where others are "1" and true',
      );
      expect.equal(
        await matching("1"),
        ["text"],
        'ids for match of the string "1", where others are 1 and true',
      );
      expect.equal(
        await matching(["x", "y"]),
        ["list"],
        "ids for match of a list, where another has it in turned order",
      );
      expect.equal(
        await matching({ a: [1], b: 2 }),
        ["object"],
        "ids for match of an object that was stored with its fields in another order",
      );
      expect.equal(await matching({ a: [1] }), [], "ids for match of an object with only some of the fields");
    },
  }),
  memoryCheck({
    id: "retrieve/match-holds-on-any-element-of-a-list",
    clauses: ["CRIT-3", "CRIT-9"],
    async run({ caller, entry, expect }) {
      const values = {
        one: ["x"],
        first: ["x", "y", 1],
        last: ["z", true, "x"],
        nested: [["x", "y"], { a: 1, b: [2] }],
        longer: ["xy", "x y", "X"],
        text: "x",
        number: [10, 1.5, "1"],
        empty: [],
      };
      await caller.store(Object.entries(values).map(([id, value]) => entry({ key: { id, value } })));
      const expected: [unknown, string[]][] = [
        ["x", ["one", "first", "last", "text"]],
        ["y", ["first"]],
        [1, ["first"]],
        ["1", ["number"]],
        [1.5, ["number"]],
        [true, ["last"]],
        [["x"], ["one"]],
        [["x", "y"], ["nested"]],
        [{ b: [2], a: 1 }, ["nested"]],
        [["y", "x"], []],
      ];
      for (const [value, ids] of expected) {
        const match = { value } as never;
        const what = `ids for match ${JSON.stringify(match)}, where the keys have ${JSON.stringify(values)}`;
        expect.sameMembers(foundIds(await caller.retrieve({ match, limit: 20 })), ids, what);
      }
      const both = await caller.retrieve({ match: { value: "x", id: "last" } });
      const what = "ids for match of a list element together with another field of the key";
      expect.equal(foundIds(both), ["last"], what);
      const { deleted } = await caller.forget({ match: { value: 1.5 } });
      expect.equal(deleted, 1, "`deleted` of a forget with match of an element of the list of one key");
    },
  }),
  memoryCheck({
    id: "retrieve/tags-any",
    clauses: ["CRIT-4"],
    async run({ caller, entry, expect }) {
      const tags = [["a"], ["a", "b"], ["b"], ["ab"], ["A"], ["x", "a", "y"], [], ["a b"]];
      await caller.store(tags.map((of, id) => entry({ key: { id }, tags: of })));
      const found = await caller.retrieve({ tags: ["a", "c"] });
      const what = `entries with any of the tags a and c, where the tags are ${JSON.stringify(tags)}`;
      expect.sameMembers(foundIds(found), [0, 1, 5], what);
      const named = await caller.retrieve({ tags: ["b", "a"], tags_mode: "any" });
      expect.sameMembers(foundIds(named), [0, 1, 2, 5], "the same for b and a, with tags_mode any");
    },
  }),
  memoryCheck({
    id: "retrieve/tags-all",
    clauses: ["CRIT-4"],
    async run({ caller, entry, expect }) {
      const tags = [["a", "b"], ["a"], ["b"], ["b", "c", "a"], ["ab"], ["a", "B"], []];
      await caller.store(tags.map((of, id) => entry({ key: { id }, tags: of })));
      const found = await caller.retrieve({ tags: ["a", "b"], tags_mode: "all" });
      const what = `entries with all of the tags a and b, where the tags are ${JSON.stringify(tags)}`;
      expect.sameMembers(foundIds(found), [0, 3], what);
    },
  }),
  memoryCheck({
    id: "retrieve/since-included-until-excluded",
    clauses: ["CRIT-13"],
    async run({ caller, entry, expect }) {
      const times = [1_000, 1_999.5, 2_000, 2_500.25, 2_999.75, 3_000, 3_000.5];
      await caller.store([
        ...times.map((id) => entry({ key: { id }, occurred_at: id })),
        entry({ key: { id: "now" } }),
      ]);
      const ids = async (span: { since?: number; until?: number }) => foundIds(await caller.retrieve(span));
      expect.sameMembers(
        await ids({ since: 2_000, until: 3_000 }),
        [2_000, 2_500.25, 2_999.75],
        "occurred_at of the entries since 2000 (included) until 3000 (not)",
      );
      expect.sameMembers(
        await ids({ until: 2_000 }),
        [1_000, 1_999.5],
        "occurred_at of the entries until 2000 (not)",
      );
      expect.sameMembers(
        await ids({ since: 3_000 }),
        [3_000, 3_000.5, "now"],
        "entries since 3000 (included), among them one stored without occurred_at",
      );
    },
  }),
];
