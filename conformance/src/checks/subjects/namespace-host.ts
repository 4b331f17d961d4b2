import { type Check, hostCheck } from "../../catalogue/check.js";
import { foundIds } from "../../fixtures/found-ids.js";

/** Returns a path below `namespace` with `segmentCount` segments in total. */
function pathOf(namespace: string, segmentCount: number): string {
  const below = segmentCount - namespace.split("/").length;
  return [namespace, ...Array.from({ length: below }, (_, at) => `s${at}`)].join("/");
}

export const namespaceHostChecks: readonly Check[] = [
  hostCheck({
    id: "namespace/what-is-no-path-is-refused",
    clauses: ["NS-1"],
    async run({ caller, entry, expect }) {
      const own = caller.namespace;
      const controls = ["\u0000", "\u001f", "\n", "\u007f"].map((control) => `${own}/a${control}b`);
      const slashes = [`/${own}`, `${own}/`, `${own}//a`, "/"];
      const stars = [`${own}/a*b`, `${own}/*`, `${own}/*/a`];
      const long = [pathOf(own, 9), `${own}/${"x".repeat(65)}`];
      for (const namespace of [...controls, ...slashes, ...stars, ...long]) {
        const shown = JSON.stringify(namespace);
        const store = caller.store(entry(), { namespace });
        const { detail } = await expect.refused(
          store,
          "schema_violation",
          `a store in the namespace ${shown}`,
        );
        expect.equal(detail.path, "namespace", `\`path\` in the error of a store in the namespace ${shown}`);
        const read = caller.retrieve({ namespace });
        await expect.refused(read, "schema_violation", `a retrieve in the namespace ${shown}`);
      }
      for (const namespace of [pathOf(own, 8), `${own}/${"x".repeat(64)}`, `${own}/a b\u0080`]) {
        await caller.store(entry({ key: { id: "there" } }), { namespace });
        const found = await caller.retrieve({ namespace });
        expect.equal(
          foundIds(found),
          ["there"],
          `entries of the valid namespace ${JSON.stringify(namespace)}`,
        );
      }
    },
  }),
  hostCheck({
    id: "namespace/what-is-no-pattern-is-refused",
    clauses: ["NS-2"],
    async run({ caller, entry, expect }) {
      await caller.store(entry({ key: { id: "there" } }));
      const own = caller.namespace;
      const above = own.slice(0, -1);
      for (const namespace of [
        "**",
        "*",
        "/**",
        `${own}/*`,
        `${own}**`,
        `${own}/**/a`,
        `${own}/**/**`,
        `${above}*`,
      ]) {
        const read = caller.retrieve({ namespace });
        const { detail } = await expect.refused(
          read,
          "schema_violation",
          `a retrieve in the namespace ${namespace}`,
        );
        expect.equal(
          detail.path,
          "namespace",
          `\`path\` in the error of a retrieve in the namespace ${namespace}`,
        );
        const forget = caller.forget({ namespace, tags: ["no entry has it"] });
        await expect.refused(forget, "schema_violation", `a forget in the namespace ${namespace}`);
      }
      expect.equal(
        foundIds(await caller.retrieve()),
        ["there"],
        "entries of the namespace after these forgets were refused",
      );
    },
  }),
  hostCheck({
    id: "namespace/absent-is-default",
    clauses: ["NS-3"],
    async run({ caller, entry, expect, send, random }) {
      const key = { id: random.hex(24) };
      const type = "memory/store/req";
      const stored = await send("store", { type, entries: [entry({ key })] });
      expect.equal(
        stored.message.type,
        "memory/store/resp",
        "type of the reply to a store without namespace",
      );
      const { entries } = await caller.retrieve({ keys: [key], namespace: "default" });
      const what = "the namespace `default`, of an entry that was stored without one";
      expect.equal(
        entries.map(({ namespace }) => namespace),
        ["default"],
        `namespace of the entries found in ${what}`,
      );
      const read = await send("retrieve", { type: "memory/retrieve/req", keys: [key] });
      expect.equal(
        read.message.total,
        1,
        "total of a retrieve without namespace, of a key stored without one",
      );
      const own = await caller.retrieve({ keys: [key] });
      expect.equal(own.total, 0, "total of a retrieve in another namespace, of a key stored without one");
      const { deleted } = await caller.forget({ keys: [key], namespace: "default" });
      expect.equal(deleted, 1, "`deleted` of a forget of that key in the namespace `default`");
    },
  }),
];
