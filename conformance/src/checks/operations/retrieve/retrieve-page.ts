import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";

export const retrievePageChecks: readonly Check[] = [
  memoryCheck({
    id: "retrieve/criteria-apply-before-limit",
    clauses: ["RET-1", "RET-3"],
    async run({ caller, entry, expect }) {
      const wanted = [1, 2, 3].map((id) => entry({ key: { id }, occurred_at: id, tags: ["wanted"] }));
      const newer = Array.from({ length: 60 }, (_, at) =>
        entry({ occurred_at: 1_000 + at, tags: ["other"] }),
      );
      await caller.store([...wanted, ...newer]);
      const byTag = await caller.retrieve({ tags: ["wanted"], limit: 2 });
      expect.equal(
        foundIds(byTag),
        [3, 2],
        "entries with a tag and limit 2, after 60 newer ones without the tag",
      );
      expect.equal(byTag.total, 3, "total for a tag that 3 of 63 entries have, with limit 2");
      const byTime = await caller.retrieve({ until: 1_000, limit: 3 });
      expect.equal(foundIds(byTime), [3, 2, 1], "entries until 1000 with limit 3, after 60 later ones");
    },
  }),
  memoryCheck({
    id: "retrieve/expired-take-no-room",
    clauses: ["RET-1", "RET-3", "RET-16"],
    features: ["ttl"],
    async run({ caller, entry, expect, passTime }) {
      const lasting = [1, 2].map((id) => entry({ key: { id }, occurred_at: id, tags: ["t"] }));
      const ending = [3, 4, 5].map((id) => entry({ key: { id }, occurred_at: id, tags: ["t"], ttl: 1 }));
      await caller.store([...lasting, ...ending]);
      await passTime(2);
      const what = "of 5 entries, 3 with a ttl of 1 s, 2 s later";
      const listed = await caller.retrieve({ limit: 2 });
      expect.equal(foundIds(listed), [2, 1], `the first 2 entries ${what}`);
      expect.equal(listed.total, 2, `total ${what}`);
      const byKey = await caller.retrieve({ keys: [...lasting, ...ending].map(({ key }) => key) });
      expect.equal(foundIds(byKey), [2, 1], `entries by their keys, ${what}`);
      const byTag = await caller.retrieve({ tags: ["t"] });
      expect.equal(foundIds(byTag), [2, 1], `entries by their tag, ${what}`);
      expect.equal((await caller.retrieve({ limit: 0 })).total, 2, `total with limit 0 ${what}`);
    },
  }),
  memoryCheck({
    id: "retrieve/limit-zero-counts",
    clauses: ["RET-2", "RET-3"],
    async run({ caller, entry, expect }) {
      await caller.store([1, 2, 3, 4].map((id) => entry({ key: { id }, tags: id > 1 ? ["t"] : [] })));
      const { entries, total, total_relation } = await caller.retrieve({ limit: 0, tags: ["t"] });
      expect.equal(entries.length, 0, "entries of a retrieve with limit 0");
      expect.equal(total, 3, "total of a retrieve with limit 0, for a tag that 3 of 4 entries have");
      expect.equal(total_relation, "eq", "total_relation of the same");
    },
  }),
  memoryCheck({
    id: "retrieve/total-is-exact-where-it-says-so",
    clauses: ["RET-4", "RET-3", "PLUG-7"],
    async run({ caller, entry, expect }) {
      await caller.store(
        Array.from({ length: 9 }, (_, id) => entry({ key: { id }, tags: id < 5 ? ["t"] : ["u"] })),
      );
      for (const limit of [0, 1, 5, 100]) {
        const { total, total_relation } = await caller.retrieve({ tags: ["t"], limit });
        const what = `for a tag that 5 of 9 entries have, with limit ${limit}`;
        expect.equal(total, 5, `total ${what}`);
        expect.equal(total_relation, "eq", `total_relation of the exact total ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "retrieve/context-only-on-demand",
    clauses: ["RET-14"],
    async run({ caller, entry, expect }) {
      await caller.store(entry({ key: { id: "it" }, context: "an earlier message", text: "indexed text" }));
      const plain = await caller.retrieve();
      const what = "of an entry that has one";
      expect.equal(foundIds(plain), ["it"], "entries of a retrieve without `include`");
      expect.equal(
        "context" in plain.entries[0]!,
        false,
        `whether \`context\` ${what} is returned without \`include\``,
      );
      const listed = await caller.retrieve({ include: ["context"] });
      const got = listed.entries[0]?.context;
      expect.equal(got, "an earlier message", `\`context\` ${what}, with include [context]`);
      const whether = "whether `embedding` is returned with include [context]";
      expect.equal("embedding" in listed.entries[0]!, false, whether);
      const byKey = await caller.retrieve({ keys: [{ id: "it" }] });
      expect.equal(
        byKey.entries.map((found) => "context" in found),
        [false],
        `whether \`context\` ${what} is returned by its key without \`include\``,
      );
    },
  }),
  memoryCheck({
    id: "retrieve/nothing-selected-is-zero",
    clauses: ["RET-17"],
    async run({ caller, entry, expect, agent }) {
      await caller.store(entry({ key: { id: "there" }, tags: ["t"] }));
      const selections = [{ keys: [{ id: "absent" }] }, { tags: ["absent"] }, { tags: ["t"], until: 1 }];
      for (const criteria of selections) {
        const { entries, total } = await caller.retrieve(criteria);
        const what = `a retrieve of ${JSON.stringify(criteria)}, which no entry meets`;
        expect.equal([entries.length, total], [0, 0], `entries and total of ${what}`);
        const { deleted } = await caller.forget(criteria);
        expect.equal(deleted, 0, `\`deleted\` of a forget of the same`);
      }
      const elsewhere = agent({ below: "empty" });
      expect.equal((await elsewhere.retrieve()).total, 0, "total in an unused namespace");
      expect.equal(
        (await elsewhere.forget({ all: true })).deleted,
        0,
        "`deleted` of a forget in an unused namespace",
      );
      expect.equal(
        foundIds(await caller.retrieve()),
        ["there"],
        "entries after forgets that selected nothing",
      );
    },
  }),
];
