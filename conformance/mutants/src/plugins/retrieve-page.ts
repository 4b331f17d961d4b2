import { MemoryError, type PluginRetrieveRequest, type ScopeSelector } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";

/** The reference plugin, which applies criteria to so many of the first entries alone. */
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
    id: "retrieve-total-after-limit",
    defect: "the total counts the page instead of all that match",
    check: "retrieve/limit-is-upper-bound",
    names: /total of a retrieve with limit/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...args: Parameters<ReferencePlugin["page"]>) {
          const page = super.page(...args);
          return { ...page, total: page.entries.length };
        }
      })(),
  }),
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
    id: "retrieve-filter-after-limit",
    defect: "criteria are applied to the first entries up to the limit, not to all",
    check: "retrieve/criteria-apply-before-limit",
    names: /limit 2, behind 60 newer ones without the tag/,
    createPlugin: () => filteringTheFirst((limit) => limit),
  }),
  pluginMutant({
    id: "retrieve-filter-after-tenfold-limit",
    defect:
      "criteria are applied to the first ten times as many entries as asked for, in the hope that it suffices",
    check: "retrieve/criteria-apply-before-limit",
    names: /limit 2, behind 60 newer ones without the tag/,
    createPlugin: () => filteringTheFirst((limit) => limit * 10),
  }),
  pluginMutant({
    id: "retrieve-expired-counted",
    defect: "what has expired is left out of the page after the limit, and still counted",
    check: "retrieve/expired-take-no-room",
    names: /the first 2 entries of 5/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        #isFinding = false;
        protected override sweep() {}
        protected override isOver(row: Row) {
          return !this.#isFinding && super.isOver(row);
        }
        override async onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest) {
          this.#isFinding = true;
          const found = await this.find(selector, request);
          this.#isFinding = false;
          const { entries, ...page } = this.page(found, request);
          return {
            ...page,
            entries: entries.filter(({ expires_at }) => !this.isOver({ expires_at } as Row)),
          };
        }
      })(),
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
    defect: "limit 0 is taken for no limit",
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
    id: "retrieve-limit-zero-not-counted",
    defect: "with limit 0 nothing is looked at, and the total is 0",
    check: "retrieve/limit-zero-counts",
    names: /total of a retrieve with limit 0/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...[found, request]: Parameters<ReferencePlugin["page"]>) {
          return super.page(request.limit === 0 ? [] : found, request);
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-total-relation-wrong",
    defect: "an exact total is called a lower bound when the page is full",
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
    id: "retrieve-total-of-limit-and-one",
    defect: "counting stops one behind the limit, and the total is still called exact",
    check: "retrieve/total-is-exact-where-it-says-so",
    names: /total for a tag that 5 of 9 entries have, with limit 1/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...[found, request]: Parameters<ReferencePlugin["page"]>) {
          const total = request.limit === 0 ? found.length : Math.min(found.length, request.limit + 1);
          return { ...super.page(found, request), total };
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-context-always",
    defect: "`context` is returned whether it was asked for or not",
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
    id: "retrieve-context-never",
    defect: "`context` is not returned even where `include` names it",
    check: "retrieve/context-only-on-demand",
    names: /`context` of an entry that has one, with include \[context\]/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override entry(...[row, score, include]: Parameters<ReferencePlugin["entry"]>) {
          return super.entry(
            row,
            score,
            include.filter((name) => name !== "context"),
          );
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-all-long-fields-at-once",
    defect: "`include` returns all long fields as soon as it names one",
    check: "retrieve/context-only-on-demand",
    names: /whether `embedding` is returned with include \[context\]/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override entry(...[row, score, include]: Parameters<ReferencePlugin["entry"]>) {
          return super.entry(row, score, include.length > 0 ? ["context", "embedding"] : []);
        }
      })(),
  }),
  pluginMutant({
    id: "retrieve-nothing-is-an-error",
    defect: "a retrieve by keys that are not there is refused",
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
  pluginMutant({
    id: "retrieve-absent-key-listed",
    defect: "criteria that nothing meets are dropped, so that a miss lists everything",
    check: "retrieve/nothing-selected-is-zero",
    names: /entries and total of a retrieve of/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async find(...[selector, request]: Parameters<ReferencePlugin["find"]>) {
          const found = await super.find(selector, request);
          return found.length > 0 ? found : super.find(selector, { ...request, filter: { all: [] } });
        }
      })(),
  }),
];
