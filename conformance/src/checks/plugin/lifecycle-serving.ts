import { type Check, pluginCheck } from "../../catalogue/check.js";
import { foundIds } from "../../fixtures/found-ids.js";

const named = (id: string) => ({ key: { id }, content: `a letter about ${id}`, tags: ["letter"] });

/** A plugin serves from `open` to `close`, and maintenance has no visible effect. */
export const lifecycleServingChecks: readonly Check[] = [
  pluginCheck({
    id: "lifecycle/opens-serves-and-closes",
    clauses: ["PLUG-5"],
    async run({ caller, entry, expect, maintain, reopen }) {
      await maintain();
      const { total } = await caller.retrieve();
      expect.equal(total, 0, "total of the first request after the plugin was opened and maintained");
      for (const when of ["after open and maintenance", "after close, and open on the same directory"]) {
        const one = entry();
        const { receipts } = await caller.store(one);
        expect.equal(receipts[0]?.outcome, "created", `outcome of the first store ${when}`);
        const found = await caller.retrieve({ keys: [one.key] });
        expect.equal(found.total, 1, `total by the key of the first store ${when}`);
        await reopen();
      }
    },
  }),
  pluginCheck({
    id: "lifecycle/maintain-keeps-what-is-left",
    clauses: ["PLUG-5", "FORGET-1"],
    async run({ caller, entry, expect, maintain, passTime }) {
      const ids = ["a", "b", "c", "d", "e"];
      await caller.store(ids.map((id) => entry(named(id))));
      for (const gone of ["a", "c"]) {
        const { deleted } = await caller.forget({ keys: [{ id: gone }] });
        expect.equal(deleted, 1, `deleted by a forget of ${gone}, maintenance having run before it`);
        ids.splice(ids.indexOf(gone), 1);
        await maintain();
        await passTime(120);
        await maintain();
        const what = `after ${gone} was forgotten and maintenance has run`;
        expect.sameMembers(foundIds(await caller.retrieve()), ids, `entries ${what}`);
        const tagged = await caller.retrieve({ tags: ["letter"], limit: 0 });
        expect.equal(tagged.total, ids.length, `total by tag ${what}`);
      }
      const { receipts } = await caller.store([entry(named("b")), entry(named("f"))]);
      const outcomes = receipts.map(({ outcome }) => outcome);
      expect.equal(
        outcomes,
        ["unchanged", "created"],
        "outcomes of a store of a kept and a new entry after maintenance",
      );
    },
  }),
  pluginCheck({
    id: "lifecycle/maintain-beside-requests",
    clauses: ["PLUG-5"],
    async run({ caller, entry, expect, maintain }) {
      const all = Array.from({ length: 30 }, () => entry({ tags: ["letter"] }));
      const [forgotten, ...kept] = all;
      await caller.store(all.slice(0, 10));
      const maintaining = maintain();
      await Promise.all(all.slice(10).map((one) => caller.store(one)));
      const { deleted } = await caller.forget({ keys: [forgotten!.key] });
      await maintaining;
      expect.equal(deleted, 1, "deleted by a forget of 1 entry during maintenance");
      const { entries } = await caller.retrieve({ limit: 100 });
      const keys = entries.map(({ key }) => key);
      expect.sameMembers(
        keys,
        kept.map(({ key }) => key),
        "keys after 30 stores and a forget, with concurrent maintenance",
      );
    },
  }),
  pluginCheck({
    id: "lifecycle/working-tier-ends-with-the-plugin",
    clauses: ["DUR-3"],
    tiers: ["working"],
    async run({ caller, entry, expect, reopen }) {
      await caller.store(entry({ key: { id: "before" } }));
      await reopen();
      await caller.store(entry({ key: { id: "after" } }));
      const found = foundIds(await caller.retrieve());
      expect.equal(
        found,
        ["after"],
        "entries of the working tier after close and open, with one stored before and one after",
      );
    },
  }),
];
