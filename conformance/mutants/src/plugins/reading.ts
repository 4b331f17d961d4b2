import type { ScopeSelector } from "@membus/protocol";
import type { PluginForgetRequest, PluginListRequest, PluginRetrieveRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { ListingPlugin } from "../reference/listing-plugin.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Found, Row } from "../reference/row.js";

/** The listing plugin that returns the time of the read before. */
class FormerReadPlugin extends ListingPlugin {
  protected override page(found: readonly Found[], request: PluginRetrieveRequest) {
    const accessed = new Map(found.map(({ row }) => [row.key_hash, row.accessed]));
    const { entries, ...page } = super.page(found, request);
    const former = entries.map((entry) => {
      const { timestamps, key_hash } = entry;
      return { ...entry, timestamps: { ...timestamps, accessed: accessed.get(key_hash)! } };
    });
    return { ...page, entries: former };
  }
}

const accessed: readonly Mutant[] = [
  pluginMutant({
    id: "entry-accessed-by-a-list",
    defect: "a list counts as a read of the listed entries",
    check: "entry/accessed-is-the-last-return",
    names: /`accessed` minus `updated` of an entry after/,
    createPlugin: () =>
      new (class extends FormerReadPlugin {
        protected override listedRows(selector: ScopeSelector, request: PluginListRequest): Row[] {
          const rows = super.listedRows(selector, request);
          for (const row of rows) this.touch(row);
          return rows;
        }
      })(),
  }),
  pluginMutant({
    id: "entry-accessed-by-a-match",
    defect: "a retrieve counts as a read of all entries that match, also those that are not on the page",
    check: "entry/accessed-is-the-last-return",
    names: /`accessed` minus `updated` of an entry after/,
    createPlugin: () =>
      new (class extends FormerReadPlugin {
        protected override page(found: readonly Found[], request: PluginRetrieveRequest) {
          const page = super.page(found, request);
          for (const { row } of found) this.touch(row);
          return page;
        }
      })(),
  }),
  pluginMutant({
    id: "entry-accessed-by-a-dry-run",
    defect: "a dry run counts as a read of the entries that it counts",
    check: "entry/accessed-is-the-last-return",
    names: /`accessed` minus `updated` of an entry after/,
    createPlugin: () =>
      new (class extends FormerReadPlugin {
        protected override doomed(selector: ScopeSelector, request: PluginForgetRequest): Row[] {
          const rows = super.doomed(selector, request);
          for (const row of request.dry_run ? rows : []) this.touch(row);
          return rows;
        }
      })(),
  }),
];

const changes: readonly Mutant[] = [
  pluginMutant({
    id: "retrieve-dry-run-clears-the-index",
    defect: "a dry run already removes the entries from the index of lists",
    check: "retrieve/reading-changes-nothing",
    names: /entries, total and lists after reads of every kind/,
    createPlugin: () =>
      new (class extends ListingPlugin {
        readonly #hidden = new Set<Row>();

        protected override doomed(selector: ScopeSelector, request: PluginForgetRequest): Row[] {
          const rows = super.doomed(selector, request);
          for (const row of request.dry_run ? rows : []) this.#hidden.add(row);
          return rows;
        }

        protected override listedRows(selector: ScopeSelector, request: PluginListRequest): Row[] {
          return super.listedRows(selector, request).filter((row) => !this.#hidden.has(row));
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-list-drops-quiet-tags",
    defect: "a list of an unused field drops the context of the entries from its cache",
    check: "retrieve/reading-changes-nothing",
    names: /entries, total and lists after reads of every kind/,
    createPlugin: () =>
      new (class extends ListingPlugin {
        protected override listedRows(selector: ScopeSelector, request: PluginListRequest): Row[] {
          const rows = super.listedRows(selector, request);
          const isFiltered = JSON.stringify(request.filter).includes("quiet");
          for (const row of isFiltered ? rows : []) Object.assign(row, { context: undefined });
          return rows;
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-counts-an-entry-for-each-tag",
    defect: "an entry with two of the requested tags counts twice in the total",
    check: "retrieve/counts-agree",
    names: /numbers of the entries for \{"tags"/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(found: readonly Found[], request: PluginRetrieveRequest) {
          const text = JSON.stringify(request.filter);
          const isAny = text.includes('"op":"in"') && text.includes('"field":"tags"');
          if (!isAny) return super.page(found, request);
          const asked = ["a", "b", "ab", "A"];
          const counts = found.map(({ row }) => asked.filter((tag) => row.tags.includes(tag)).length);
          const total = counts.reduce((sum, count) => sum + Math.max(1, count), 0);
          return { ...super.page(found, request), total };
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-dry-run-counts-keys",
    defect: "a dry run by keys counts the keys, also those that are named twice",
    check: "retrieve/counts-agree",
    names: /numbers of the entries for \{"keys"/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override async onForget(...[selector, request]: Parameters<ReferencePlugin["onForget"]>) {
          const result = await super.onForget(selector, request);
          const isDoubled = request.dry_run && result.deleted === 3 && isByKeys(request);
          return isDoubled ? { ...result, deleted: 4 } : result;
        }
      })(),
  }),
];

function isByKeys({ filter }: PluginForgetRequest): boolean {
  return JSON.stringify(filter).includes("key_hash");
}

export const readingMutants: readonly Mutant[] = [...accessed, ...changes];
