import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";

type Fields = ("text" | "context" | "time")[];

export const fieldsChecks: readonly Check[] = [
  memoryCheck({
    id: "fields/words-are-looked-for-where-named",
    clauses: ["RET-23", "PLUG-3"],
    features: ["fields", "full_text"],
    async run({ caller, entry, expect }) {
      await caller.store([
        entry({ key: { id: "in the text" }, content: "a walrus sleeps" }),
        entry({ key: { id: "in the key", animal: "walrus" }, content: "a storm passes" }),
      ]);
      const expected: [Fields | undefined, string[]][] = [
        [["text"], ["in the text"]],
        [["context"], ["in the key"]],
        [
          ["context", "text"],
          ["in the text", "in the key"],
        ],
        [["time"], []],
        [undefined, ["in the text", "in the key"]],
      ];
      for (const [fields, ids] of expected) {
        const found = await caller.retrieve({ query: "walrus", mode: "text", fields });
        const what = `a query with fields ${JSON.stringify(fields) ?? "absent"}, with the word in a text and in a key`;
        expect.sameMembers(foundIds(found), ids, `ids found by ${what}`);
        expect.equal(found.total, ids.length, `total of ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "fields/context-is-not-text",
    clauses: ["RET-23"],
    features: ["fields", "full_text", "context"],
    async run({ caller, entry, expect }) {
      await caller.store(entry({ key: { id: 1 }, content: "a storm passes", context: "a walrus sleeps" }));
      const found = async (query: string, fields: Fields) =>
        foundIds(await caller.retrieve({ query, mode: "text", fields }));
      const what = "of an entry with storm in its text and walrus in its context";
      expect.equal(await found("walrus", ["context"]), [1], `ids for walrus in the context, ${what}`);
      expect.equal(await found("walrus", ["text"]), [], `ids for walrus in the text, ${what}`);
      expect.equal(await found("storm", ["text"]), [1], `ids for storm in the text, ${what}`);
      expect.equal(await found("storm", ["context"]), [], `ids for storm in the context, ${what}`);
    },
  }),
];
