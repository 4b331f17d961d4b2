import type { ListItem } from "@membus/protocol";
import { type Check, hostCheck, hostTierCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { valueCounts } from "../../../fixtures/listed.js";
import { ScriptedPlugin } from "../../../host-route/scripted-plugin.js";

const item = { value: "a", count: 1, newest: 1, bytes: 1 };

/** Invalid results of a plugin for one entry with the tag a. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  "a value twice": [item, item],
  "a count of 0": [{ ...item, count: 0 }],
  "a count that is not whole": [{ ...item, count: 1.5 }],
  "no time": [{ ...item, newest: undefined }],
  "bytes below 0": [{ ...item, bytes: -1 }],
  "an invalid value": [{ ...item, value: null }],
  "a list for a value": [{ ...item, value: ["a"] }],
};

/** Returns half of a list that is too large. Two tiers together exceed the limit. */
function half(name: string): ListItem[] {
  return Array.from({ length: 50_001 }, (_, at) => ({
    value: `${name}${at}`,
    count: 1,
    newest: 1,
    bytes: 1,
  }));
}

export const listTierChecks: readonly Check[] = [
  hostTierCheck({
    id: "list/refused-when-undeclared",
    clauses: ["LIST-13", "PLUG-4"],
    withoutFeature: "list",
    async run({ caller, entry, expect, tier }) {
      await caller.store(entry({ key: { id: "there" }, tags: ["t"] }));
      for (const request of [{}, { field: "tags" }]) {
        const what = `a list with ${JSON.stringify(request)}, which is not declared`;
        await expect.refused(caller.list({ ...request, tier }), "unsupported", what);
      }
      expect.equal(foundIds(await caller.retrieve()), ["there"], "entries of a retrieve afterwards");
    },
  }),
  hostCheck({
    id: "list/tiers-are-counted-together",
    clauses: ["LIST-3", "LIST-8", "CRIT-14"],
    provisions: ["own_plugins"],
    async run({ startHost, expect }) {
      const features = { list: true, subtree: true };
      const plugins = { working: new ScriptedPlugin(features), episodic: new ScriptedPlugin(features) };
      const { caller, entry, passTime } = await startHost({ plugins });
      await caller.store([
        entry({ tags: ["a", "b"], tier: "working" }),
        entry({ tags: ["c"], tier: "episodic" }),
      ]);
      await passTime(10);
      await caller.store([
        entry({ tags: ["c"], tier: "working" }),
        entry({ tags: ["b", "c"], tier: "episodic" }),
      ]);
      const ofTags = { field: "tags", tier: null, order: "count" } as const;
      const { items, total } = await caller.list(ofTags);
      const what = "of a list of tags by count, in two tiers";
      expect.equal(
        valueCounts({ items }),
        [
          ["c", 3],
          ["b", 2],
          ["a", 1],
        ],
        `values and counts ${what}`,
      );
      expect.equal(total, 3, `total ${what}`);
      const [c, b, a] = items.map(({ newest }) => newest);
      expect.equal([c === b, a! < b!], [true, true], `whether \`newest\` is the latest of both ${what}`);
      const first = await caller.list({ ...ofTags, limit: 2 });
      const rest = await caller.list({ ...ofTags, limit: 2, cursor: first.cursor! });
      const pages = [first, rest].map(valueCounts);
      expect.equal(
        pages,
        [
          [
            ["c", 3],
            ["b", 2],
          ],
          [["a", 1]],
        ],
        `values and counts on two pages ${what}`,
      );
      const spaces = valueCounts(await caller.list({ tier: null, namespace: "**" }));
      expect.equal(spaces, [[caller.namespace, 4]], "namespaces and counts of a list of two tiers");
      const one = valueCounts(await caller.list({ field: "tags", tier: "episodic" }));
      expect.equal(
        one,
        [
          ["b", 1],
          ["c", 2],
        ],
        "values and counts of a list of tags in one of two tiers",
      );
    },
  }),
  hostCheck({
    id: "list/tiers-that-cannot-are-named",
    clauses: ["LIST-13"],
    provisions: ["own_plugins"],
    async run({ startHost, expect }) {
      const [unsupporting, listing] = [new ScriptedPlugin({}), new ScriptedPlugin({ list: true })];
      const { caller, entry } = await startHost({ plugins: { working: unsupporting, episodic: listing } });
      await caller.store([entry({ tags: ["a"], tier: "working" }), entry({ tags: ["a"], tier: "episodic" })]);
      const reply = await caller.list({ tier: null, field: "tags" });
      const what = "of a list of two tiers, with `list` declared only by the episodic one";
      expect.equal(valueCounts(reply), [["a", 1]], `values and counts ${what}`);
      expect.equal(reply.total_relation, "gte", `total_relation ${what}`);
      const named = (degraded: typeof reply.degraded) => degraded?.map(({ tier, code }) => [tier, code]);
      expect.equal(
        named(reply.degraded),
        [["working", "unsupported"]],
        `tier and code in \`degraded\` ${what}`,
      );
      await expect.refused(
        caller.list({ tier: "working" }),
        "unsupported",
        "a list of the tier without `list`",
      );
      const below = caller.list({ tier: null, namespace: "**" });
      await expect.refused(below, "unsupported", "a list of **, of two tiers without `subtree`");
      listing.script = { onList: () => Promise.reject(new Error("lost")) };
      await expect.refused(
        caller.list({ tier: null }),
        ["runtime_error", "unsupported"],
        "a list without a tier that answers",
      );
    },
  }),
  hostCheck({
    id: "list/what-plugins-give-is-checked",
    clauses: ["PLUG-12", "PLUG-20"],
    provisions: ["own_plugins"],
    async run({ startHost, expect }) {
      const features = { list: true, subtree: true };
      const plugins = { working: new ScriptedPlugin(features) };
      const { caller } = await startHost({ plugins });
      const list = (fields: object) => caller.list({ tier: "working", ...fields });
      for (const [what, items] of Object.entries(WRONG)) {
        plugins.working.script = { onList: async () => ({ items: items as ListItem[] }) };
        await expect.refused(
          list({ field: "tags" }),
          "runtime_error",
          `a list of a plugin that returns ${what}`,
        );
      }
      const foreign = [{ ...item, value: `${caller.namespace}x` }];
      plugins.working.script = { onList: async () => ({ items: foreign }) };
      await expect.refused(
        list({}),
        "runtime_error",
        "a list of a plugin that returns a namespace that was not requested",
      );
    },
  }),
  hostCheck({
    id: "list/no-more-than-100000-values",
    clauses: ["LIST-12"],
    provisions: ["own_plugins"],
    async run({ startHost, expect }) {
      const plugins = {
        working: new ScriptedPlugin({ list: true }),
        episodic: new ScriptedPlugin({ list: true }),
      };
      const { caller } = await startHost({ plugins });
      const list = (tier: "working" | null) => caller.list({ field: "tags", tier, limit: 1 });
      plugins.working.script = { onList: async () => ({ items: half("a") }) };
      plugins.episodic.script = { onList: async () => ({ items: half("b") }) };
      const { total } = await list("working");
      expect.equal(total, 50_001, "total of a list of a tier with 50,001 values");
      const what = "a list of two tiers with 100,002 values";
      const { detail } = await expect.refused(list(null), "too_large", what);
      expect.equal(
        [detail.max, detail.got],
        [100_000, 100_002],
        `\`max\` and \`got\` in the error of ${what}`,
      );
    },
  }),
];
