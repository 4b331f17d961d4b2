import type { MemoryEntry } from "@membus/protocol";
import { type Check, hostCheck, pluginCheck } from "../../../catalogue/check.js";
import { readPages } from "../../../fixtures/read-pages.js";
import { ScriptedPlugin } from "../../../host-route/scripted-plugin.js";

const COUNT = 8;
const CONTENT_BYTES = 10_000;

export const cursorCutChecks: readonly Check[] = [
  pluginCheck({
    id: "cursor/page-is-cut-behind-max-bytes",
    clauses: ["PLUG-18"],
    async run({ caller, entry, plugin, scope, expect, now }) {
      const [content, context] = ["x".repeat(CONTENT_BYTES), "a\n".repeat(CONTENT_BYTES / 2)];
      for (let at = 0; at < COUNT; at++) await caller.store(entry({ content, text: "large", context }));
      const hashes = (entries: readonly MemoryEntry[]) => entries.map(({ key_hash }) => key_hash);
      const page = (max_bytes: number) =>
        plugin.onRetrieve(
          { ...scope(), subtree: false },
          {
            ...{
              filter: { all: [] },
              order: "newest",
              limit: 100,
              min_score: 0,
              mode: "hybrid",
              include: [],
            },
            ...{ as_of: now(), max_bytes },
          },
        );
      const whole = await page(2 ** 20);
      const what = `onRetrieve, of ${COUNT} entries with contents of ${CONTENT_BYTES} bytes, and contexts that are not requested, with max_bytes`;
      const shown = { count: whole.entries.length, cut: whole.cut };
      expect.equal(shown, { count: COUNT, cut: undefined }, `entries and \`cut\` of ${what} 1048576`);
      for (const [maxBytes, least] of [
        [1, 1],
        [25_000, 3],
        [65_000, 7],
      ] as const) {
        const { entries, cut, total } = await page(maxBytes);
        expect.atLeast(entries.length, least, `number of entries of ${what} ${maxBytes}`);
        const first = hashes(whole.entries).slice(0, entries.length);
        expect.equal(
          hashes(entries),
          first,
          `key hashes of ${what} ${maxBytes}, compared with the first of all`,
        );
        expect.equal(cut ?? false, entries.length < COUNT, `\`cut\` of ${what} ${maxBytes}`);
        expect.equal(total, COUNT, `total of ${what} ${maxBytes}`);
      }
    },
  }),
  hostCheck({
    id: "host-plugins/cut-page-ends-the-reply",
    clauses: ["RET-7", "RET-19", "PLUG-18"],
    provisions: ["own_plugins"],
    async run(t) {
      const plugins = { working: new ScriptedPlugin(), semantic: new ScriptedPlugin() };
      const own = await t.startHost({ plugins });
      for (const [key, tier] of [
        ["a", "working"],
        ["b", "semantic"],
        ["c", "working"],
        ["d", "semantic"],
      ] as const) {
        await own.caller.store(own.entry({ key, tier }));
        await own.passTime(1);
      }
      plugins.working.script = {
        async onRetrieve(usual) {
          const page = await usual();
          return page.entries.length < 2 ? page : { ...page, entries: page.entries.slice(0, 1), cut: true };
        },
      };
      const pages = await readPages(own.caller, { tier: null });
      t.expect.equal(
        pages.map(({ entries }) => entries.map(({ key }) => key.name)),
        [
          ["d", "c"],
          ["b", "a"],
        ],
        "names on the pages of two tiers with 2 alternating entries each, with c's tier cut after c",
      );
    },
  }),
];
