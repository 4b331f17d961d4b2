import type { ScopeSelector } from "@membus/protocol";
import type { PluginRetrieveRequest, PluginRetrieveResult } from "@membus/protocol/plugin";
import { betweenPlugins } from "../hosts/passing-plugin.js";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Found } from "../reference/row.js";

type Page = PluginRetrieveResult;

/** Searches every other entry unless `exact` is set, and says so. */
class IndexedPlugin extends ReferencePlugin {
  protected override features() {
    return { ...super.features(), approximate: true };
  }

  protected isIndexed({ exact, embedding }: PluginRetrieveRequest): boolean {
    return !exact && embedding !== undefined;
  }

  protected override async find(selector: ScopeSelector, request: PluginRetrieveRequest): Promise<Found[]> {
    const found = await super.find(selector, request);
    return this.isIndexed(request) ? found.filter((_, at) => at % 2 === 0) : found;
  }

  override async onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest): Promise<Page> {
    const page = await super.onRetrieve(selector, request);
    return this.isIndexed(request) ? this.said(page) : page;
  }

  protected said(page: Page): Page {
    return { ...page, total_relation: "gte", approximate: true };
  }
}

const SAYS = "similarity/says-that-it-may-have-missed-some";

/** An indexed plugin that says something else of its pages. */
function saying(change: (page: Page) => Page): ReferencePlugin {
  return new (class extends IndexedPlugin {
    protected override said(page: Page): Page {
      return change(super.said(page));
    }
  })();
}

const withoutApproximate = betweenPlugins((inner) => ({
  onRetrieve: async (selector, request) => {
    const { approximate: _, ...page } = await inner.onRetrieve(selector, request);
    return page;
  },
}));

export const approximateMutants: readonly Mutant[] = [
  pluginMutant({
    id: "similarity-index-despite-exact",
    defect: "an index chooses the entries also with `exact`",
    check: "similarity/exact-misses-none",
    names: /degrees of the first 20 of 300 entries/,
    createPlugin: () =>
      new (class extends IndexedPlugin {
        protected override isIndexed({ embedding }: PluginRetrieveRequest): boolean {
          return embedding !== undefined;
        }
      })(),
  }),
  pluginMutant({
    id: "similarity-misses-silently",
    defect: "an index chooses the entries, and the page does not say so",
    check: SAYS,
    names: /degrees, without `approximate`/,
    createPlugin: () => saying(({ approximate: _, ...page }) => page),
  }),
  pluginMutant({
    id: "similarity-approximate-with-an-exact-total",
    defect: "an approximate page has a total that counts as exact",
    check: SAYS,
    names: /total_relation of an approximate reply/,
    createPlugin: () => saying((page) => ({ ...page, total_relation: "eq" })),
  }),
  pluginMutant({
    id: "similarity-approximate-undeclared",
    defect: "a tier that does not declare `approximate` is approximate",
    check: SAYS,
    names: /whether the tier declares `approximate`/,
    createPlugin: () =>
      new (class extends IndexedPlugin {
        protected override features() {
          return { ...super.features(), approximate: false };
        }

        protected override isIndexed({ embedding, limit }: PluginRetrieveRequest): boolean {
          return embedding !== undefined && limit < 300;
        }
      })(),
  }),
  pluginMutant({
    id: "similarity-approximate-scores",
    defect: "an approximate page has the scores of compressed vectors",
    check: SAYS,
    names: /score of .*, as with `exact`/,
    createPlugin: () =>
      saying((page) => ({
        ...page,
        entries: page.entries.map((entry) => ({ ...entry, score: Math.round(entry.score * 1e3) / 1e3 })),
      })),
  }),
  hostMutant({
    id: "host-plugins-takes-undeclared-approximate-pages",
    defect: "an approximate page of a plugin that does not declare `approximate` is returned as exact",
    check: "host-plugins/pages-are-checked",
    names: /after the plugin returned an undeclared `approximate`/,
    parts: withoutApproximate,
  }),
  hostMutant({
    id: "host-plugins-approximate-not-named",
    defect: "a reply does not name the tiers that are approximate",
    check: "host-plugins/approximate-tiers-are-named",
    names: /`approximate` of a retrieve of two tiers/,
    parts: withoutApproximate,
  }),
  hostMutant({
    id: "host-plugins-exact-not-passed",
    defect: "plugins do not get `exact`",
    check: "host-plugins/approximate-tiers-are-named",
    names: /entries and total_relation with `exact`/,
    parts: betweenPlugins((inner) => ({
      onRetrieve: (selector, { exact: _, ...request }) => inner.onRetrieve(selector, request),
    })),
  }),
];
