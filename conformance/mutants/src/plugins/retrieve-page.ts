import { MemoryError, type ScopeSelector } from "@membus/protocol";
import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

/** The reference plugin that applies criteria only to a number of first entries. */
function filteringTheFirst(count: (limit: number) => number): ReferencePlugin {
  return new (class extends ReferencePlugin {
    override async onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest) {
      const all = await this.find(selector, { ...request, filter: { all: [] } });
      const first = all.slice(0, count(request.limit));
      return this.page(
        first.filter(({ row }) => this.isSelected(row, request)),
        request,
      );
    }
  })();
}

export const retrievePageMutants: readonly Mutant[] = [
  pluginMutant({
    id: "retrieve-one-over-limit",
    defect: "a page holds one entry more than its limit",
    check: "retrieve/limit-is-upper-bound",
    names: /entries on a page with limit 3/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...[found, request]: Parameters<ReferencePlugin["page"]>) {
          return super.page(found, { ...request, limit: request.limit && request.limit + 1 });
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-filter-after-tenfold-limit",
    defect: "criteria are only applied to the first ten times `limit` entries",
    check: "retrieve/criteria-apply-before-limit",
    names: /limit 2, after 60 newer ones without the tag/,
    createPlugin: () => filteringTheFirst((limit) => limit * 10),
  }),
  pluginMutant({
    id: "retrieve-expired-by-key",
    defect: "an expired entry is hidden from listings, and still found by its key",
    check: "retrieve/expired-take-no-room",
    names: /entries by their keys, of 5 entries/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override sweep() {}
        protected override select(...[selector, request]: Parameters<ReferencePlugin["select"]>) {
          const byKey = JSON.stringify(request.filter).includes('"key_hash"');
          if (!byKey) return super.select(selector, request);
          const rows = this.selectedPartitions(selector).flatMap((partition) => [...partition.rows.values()]);
          return rows.filter((row) => this.isSelected(row, request));
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-limit-zero-unlimited",
    defect: "limit 0 is treated as no limit",
    check: "retrieve/limit-zero-counts",
    names: /entries of a retrieve with limit 0/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...[found, request]: Parameters<ReferencePlugin["page"]>) {
          return super.page(found, { ...request, limit: request.limit || found.length });
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-total-relation-wrong",
    defect: "an exact total is reported as a lower bound if the page is full",
    check: "retrieve/total-is-exact-where-it-says-so",
    names: /total_relation of the exact total/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...[found, request]: Parameters<ReferencePlugin["page"]>) {
          const total_relation = found.length > request.limit ? ("gte" as const) : ("eq" as const);
          return { ...super.page(found, request), total_relation };
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-context-always",
    defect: "`context` is always returned",
    check: "retrieve/context-only-on-demand",
    names: /whether `context` of an entry that has one is returned without/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override entry(...[row, score, include]: Parameters<ReferencePlugin["entry"]>) {
          return super.entry(row, score, [...include, "context"]);
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-nothing-is-an-error",
    defect: "a retrieve by unknown keys is refused",
    check: "retrieve/nothing-selected-is-zero",
    names: /memory_not_found/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...[found, request]: Parameters<ReferencePlugin["page"]>) {
          const byKey = JSON.stringify(request.filter).includes('"key_hash"');
          if (byKey && found.length === 0) throw new MemoryError("memory_not_found", "no such entry");
          return super.page(found, request);
        }
      })(),
  }),
];
