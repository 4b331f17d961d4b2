import { type Check, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import { forgetFate, refusalCodes, storeFate } from "../../../fixtures/fate-of.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { newRequestId } from "../../../fixtures/request-id.js";

/** Results of repeated requests (clause RETRY-1). */
export const retryResultChecks: readonly Check[] = [
  memoryCheck({
    id: "retry/store-gets-its-first-result",
    clauses: ["RETRY-1"],
    async run({ caller, entry, expect }) {
      const id = newRequestId();
      const batch = [entry({ content: "first" }), entry({ content: "first" })];
      const first = await caller.store(batch, { id });
      expect.equal(first.receipts.length, 2, "receipts of a store of 2 entries");
      const [changed, forgotten] = batch;
      await caller.store({ ...changed!, content: "second" });
      await caller.forget({ keys: [forgotten!.key] });
      const again = await caller.store(batch, { id });
      expect.equal(
        storeFate(again),
        storeFate(first),
        "the result of a repeated store, compared with the first",
      );
      const { entries } = await caller.retrieve();
      const contents = entries.map(({ content }) => content);
      const what =
        "contents after a store of 2 entries was repeated, with one updated and one forgotten before";
      expect.equal(contents, ["second"], what);
    },
  }),
  memoryCheck({
    id: "retry/forget-gets-its-first-result",
    clauses: ["RETRY-1"],
    async run({ caller, entry, expect }) {
      const id = newRequestId();
      const [one, two, three] = [entry(), entry(), entry()];
      await caller.store([one, two, three]);
      const keys = [one.key, two.key];
      const first = await caller.forget({ keys, id });
      await caller.store(one);
      const again = await caller.forget({ keys, id });
      expect.equal(
        forgetFate(again),
        forgetFate(first),
        "the result of a repeated forget, compared with the first",
      );
      const { entries } = await caller.retrieve({ order: "oldest" });
      const left = entries.map(({ key }) => key);
      expect.sameMembers(
        left,
        [three.key, one.key],
        "keys after a forget was repeated, with one key stored again before",
      );
      expect.equal(first.deleted, 2, "deleted of a forget of 2 entries");
    },
  }),
  memoryCheck({
    id: "retry/compare-and-set-gets-its-first-result",
    clauses: ["RETRY-1", "UPD-7"],
    features: ["conditional"],
    async run({ caller, entry, expect }) {
      const id = newRequestId();
      const [wins, loses] = [entry(), entry()];
      await caller.store(loses);
      const batch = [wins, loses].map((one) => ({ ...one, if_revision: 0 }));
      const first = await caller.store(batch, { id });
      const fates = { created: first.receipts.length, refused: first.errors.map(({ code }) => code) };
      expect.equal(
        fates,
        { created: 1, refused: ["conflict"] },
        "results of a store with `if_revision` 0 of a new key and an existing one",
      );
      await caller.forget({ keys: [loses.key] });
      const again = await caller.store(batch, { id });
      const what = "the result of a repeated compare-and-set, compared with the first";
      expect.equal(storeFate(again), storeFate(first), what);
      const { total } = await caller.retrieve();
      expect.equal(
        total,
        1,
        "entries after a repeated compare-and-set that was refused for an entry forgotten since",
      );
    },
  }),
  memoryCheck({
    id: "retry/other-store-is-conflict",
    clauses: ["RETRY-1"],
    async run({ caller, entry, expect }) {
      const id = newRequestId();
      const one = entry({ content: "first" });
      await caller.store(one, { id });
      const codes = await refusalCodes(caller.store({ ...one, content: "second" }, { id }));
      expect.equal(codes, ["conflict"], "codes of a store with the id of another store");
      const tagged = await refusalCodes(caller.store({ ...one, tags: ["red"] }, { id }));
      expect.equal(tagged, ["conflict"], "codes of a store with the id of a store that differs only in tags");
      const { entries } = await caller.retrieve();
      const contents = entries.map(({ content, tags }) => ({ content, tags }));
      expect.equal(
        contents,
        [{ content: "first", tags: [] }],
        "contents after stores with the id of another store",
      );
    },
  }),
  memoryCheck({
    id: "retry/other-forget-is-conflict",
    clauses: ["RETRY-1"],
    async run({ caller, entry, expect }) {
      const id = newRequestId();
      const named = (name: string) => entry({ key: { id: name } });
      await caller.store([named("a"), named("b"), named("c")]);
      await caller.forget({ keys: [{ id: "a" }], id });
      const codes = await refusalCodes(caller.forget({ keys: [{ id: "b" }], id }));
      expect.equal(codes, ["conflict"], "codes of a forget with the id of another forget");
      const stored = await refusalCodes(caller.store(named("d"), { id }));
      expect.equal(stored, ["conflict"], "codes of a store with the id of a forget");
      const found = foundIds(await caller.retrieve());
      expect.sameMembers(
        found,
        ["b", "c"],
        "entries after a forget and a store with the id of another forget",
      );
    },
  }),
  pluginCheck({
    id: "retry/remembered-for-ten-minutes",
    clauses: ["RETRY-6", "RETRY-1"],
    async run({ caller, entry, expect, passTime, maintain }) {
      const one = entry({ content: "first" });
      const [storeId, forgetId] = [newRequestId(), newRequestId()];
      const stored = await caller.store(one, { id: storeId });
      const forgotten = await caller.forget({ keys: [one.key], id: forgetId });
      await caller.store({ ...one, content: "second" });
      for (const seconds of [300, 298]) {
        await passTime(seconds);
        await maintain();
      }
      const storedAgain = await caller.store(one, { id: storeId });
      expect.equal(
        storeFate(storedAgain),
        storeFate(stored),
        "the result of a store that is repeated after 598 s",
      );
      const forgottenAgain = await caller.forget({ keys: [one.key], id: forgetId });
      expect.equal(
        forgetFate(forgottenAgain),
        forgetFate(forgotten),
        "the result of a forget that is repeated after 598 s",
      );
      const { entries } = await caller.retrieve();
      const contents = entries.map(({ content }) => content);
      expect.equal(contents, ["second"], "contents after a store and a forget were repeated after 598 s");
    },
  }),
];
