import { type ListItem, type ScopeSelector, selectsNamespace } from "@membus/protocol";
import type { PluginListRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { ListingPlugin, type Value } from "../reference/listing-plugin.js";
import type { Row } from "../reference/row.js";

/** The listing plugin with changed items. */
function giving(
  change: (items: readonly ListItem[], request: PluginListRequest) => ListItem[],
): ListingPlugin {
  return new (class extends ListingPlugin {
    override async onList(selector: ScopeSelector, request: PluginListRequest) {
      const { items } = await super.onList(selector, request);
      return { items: change(items, request) };
    }
  })();
}

/** The listing plugin with another set of rows. */
function looking(
  rows: (usual: (selector: ScopeSelector, request: PluginListRequest) => Row[]) => typeof usual,
): ListingPlugin {
  return new (class extends ListingPlugin {
    protected override listedRows(selector: ScopeSelector, request: PluginListRequest) {
      return rows((...asked) => super.listedRows(...asked))(selector, request);
    }
  })();
}

/** The listing plugin with changed values. */
function spelling(spelt: (value: Value) => Value): ListingPlugin {
  return new (class extends ListingPlugin {
    protected override valuesOf(row: Row, request: PluginListRequest) {
      return [...new Set(super.valuesOf(row, request).map(spelt))];
    }
  })();
}

/** The listing plugin with other subtrees. */
function selecting(change: (selector: ScopeSelector) => ScopeSelector): ListingPlugin {
  return new (class extends ListingPlugin {
    override onList(selector: ScopeSelector, request: PluginListRequest) {
      return super.onList(change(selector), request);
    }
  })();
}

/** The listing plugin that ignores one part of the scope. */
function seeing(part: "agent" | "tenant" | "session"): ListingPlugin {
  return new (class extends ListingPlugin {
    protected override listedRows(selector: ScopeSelector, request: PluginListRequest) {
      const rows = [...this.partitions.values()].flatMap((partition) => [...partition.rows.values()]);
      const isSeen = ({ scope }: Row) => this.selects(selector, { ...scope, [part]: selector[part] });
      return rows.filter((row) => this.isSelected(row, request) && isSeen(row));
    }
  })();
}

const ofTexts = (change: (text: string) => string) => (value: Value) =>
  typeof value === "string" ? change(value) : value;

const values: readonly Mutant[] = [
  pluginMutant({
    id: "list-without-list-values",
    defect: "the elements of a list in metadata are not values",
    check: "list/each-value-with-its-count",
    names: /values and counts of a list of metadata.sizes/,
    createPlugin: () =>
      new (class extends ListingPlugin {
        protected override valuesOf(row: Row, request: PluginListRequest) {
          const isMetadata = request.field?.startsWith("metadata.");
          return isMetadata && request.field?.endsWith("sizes") ? [] : super.valuesOf(row, request);
        }
      })(),
  }),
  pluginMutant({
    id: "list-of-anything",
    defect: "numbers in lists and null are values too",
    check: "list/what-is-no-value-does-not-count",
    names: /values and counts of a list of a key field/,
    createPlugin: () =>
      new (class extends ListingPlugin {
        protected override valuesIn(value: Parameters<ListingPlugin["valuesIn"]>[0]): Value[] {
          const all = Array.isArray(value) ? value : [value === null ? "null" : value];
          return [...new Set(all.filter((one) => typeof one === "string" || typeof one === "number"))];
        }
      })(),
  }),
  pluginMutant({
    id: "list-cut-values",
    defect: "values are cut to 256 characters",
    check: "list/values-are-told-apart",
    names: /values of a list of \d+ similar values/,
    createPlugin: () => spelling(ofTexts((text) => text.slice(0, 256))),
  }),
  pluginMutant({
    id: "list-bytes-are-characters",
    defect: "`bytes` counts the characters of contents",
    check: "list/newest-and-bytes-of-the-entries",
    names: /`bytes` of the group a, compared with its contents/,
    createPlugin: () =>
      new (class extends ListingPlugin {
        protected override bytesOf({ content }: Row) {
          return JSON.stringify(content).length;
        }
      })(),
  }),
  pluginMutant({
    id: "list-bytes-with-vectors",
    defect: "`bytes` includes the size of indexes",
    check: "list/newest-and-bytes-of-the-entries",
    names: /`bytes` of the group a, compared with its entries/,
    createPlugin: () =>
      new (class extends ListingPlugin {
        protected override bytesOf(row: Row) {
          return super.bytesOf(row) + 16_384;
        }
      })(),
  }),
  pluginMutant({
    id: "list-of-the-first-look",
    defect: "a list returns cached values after later stores",
    check: "list/follows-updates-and-forgets",
    names: /tags after an update of 2 of these/,
    createPlugin: () => {
      const firstItems = new Map<string, ListItem[]>();
      return giving((items, request) => {
        const key = JSON.stringify(request);
        firstItems.set(key, firstItems.get(key) ?? [...items]);
        return firstItems.get(key)!;
      });
    },
  }),
  pluginMutant({
    id: "list-counts-expired",
    defect: "expired entries count until they are cleaned up",
    check: "list/expired-never-count",
    names: /tags 2 s after stores with a ttl/,
    createPlugin: () =>
      new (class extends ListingPlugin {
        protected override sweep() {}
        protected override isLive(): boolean {
          return true;
        }
        override async onRetrieve(...asked: Parameters<ListingPlugin["onRetrieve"]>) {
          super.sweep();
          return super.onRetrieve(...asked);
        }
      })(),
  }),
  pluginMutant({
    id: "list-namespaces-without-criteria",
    defect: "namespaces are listed with all of their entries, regardless of the criteria",
    check: "list/criteria-select",
    names: /namespaces and counts of a list with/,
    createPlugin: () =>
      looking((usual) => (selector, request) => {
        return usual(selector, request.field === undefined ? { ...request, filter: { all: [] } } : request);
      }),
  }),
  pluginMutant({
    id: "list-of-a-thousand",
    defect: "at most the first thousand values are listed",
    check: "list/thousands-are-counted",
    names: /total of a list of 3000 entries/,
    createPlugin: () => giving((items) => items.slice(0, 1_000)),
  }),
];

const scopes: readonly Mutant[] = [
  pluginMutant({
    id: "list-of-all-agents",
    defect: "a list also counts the entries of other agents",
    check: "list/agents-are-apart",
    names: /tags and counts listed for the first agent/,
    createPlugin: () => seeing("agent"),
  }),
  pluginMutant({
    id: "list-of-all-tenants",
    defect: "a list also counts the entries of other tenants",
    check: "list/tenants-are-apart",
    names: /tags and counts listed for the first tenant's agent/,
    createPlugin: () => seeing("tenant"),
  }),
  pluginMutant({
    id: "list-of-all-sessions",
    defect: "a list also counts the entries of other sessions",
    check: "list/sessions-are-apart",
    names: /tags and counts listed for one session/,
    createPlugin: () => seeing("session"),
  }),
  pluginMutant({
    id: "list-of-own-entries-alone",
    defect: "a list of a shared tier only counts the entries of the caller",
    check: "list/shared-entries-count-for-all",
    names: /tags and counts of a shared tier listed for/,
    tier: "semantic",
    createPlugin: () =>
      looking((usual) => (selector, request) => {
        const rows = usual(selector, request);
        return rows.filter(({ author }) => author === rows[0]!.author);
      }),
  }),
  pluginMutant({
    id: "list-of-one-as-subtree",
    defect: "a list of one namespace also counts its subtree",
    check: "list/one-namespace-is-not-another",
    names: /tags and counts of the namespace above another/,
    createPlugin: () => selecting((selector) => ({ ...selector, subtree: true })),
  }),
  pluginMutant({
    id: "list-of-empty-namespaces",
    defect: "a namespace is still listed after its last entry was forgotten",
    check: "list/namespaces-of-a-subtree",
    names: /namespaces of a list of a\/\*\* after a forget of a\/b\/\*\*/,
    createPlugin: () =>
      new (class extends ListingPlugin {
        readonly #listed = new Map<Value, ListItem>();
        override async onList(selector: ScopeSelector, request: PluginListRequest) {
          const { items } = await super.onList(selector, request);
          if (request.field !== undefined || !selector.subtree) return { items };
          for (const item of items) this.#listed.set(item.value, item);
          const isStill = ({ value }: ListItem) => selectsNamespace(selector, `${value}`) && items.length > 1;
          const deleted = [...this.#listed.values()].filter(
            (item) => !items.some(({ value }) => value === item.value),
          );
          return { items: [...items, ...deleted.filter(isStill)] };
        }
      })(),
  }),
  pluginMutant({
    id: "list-of-all-is-empty",
    defect: "a list of ** searches below a namespace without a name",
    check: "list/all-namespaces",
    names: /namespaces of a list of \*\*/,
    createPlugin: () =>
      looking((usual) => (selector, request) => (selector.namespace === "" ? [] : usual(selector, request))),
  }),
  pluginMutant({
    id: "list-subtree-unbounded",
    defect: "a list of a subtree covers any number of partitions",
    check: "list/subtree-of-256-partitions",
    names: /a list with \{\} of 257 namespaces/,
    createPlugin: () =>
      new (class extends ListingPlugin {
        override async onRetrieve(...[selector, request]: Parameters<ListingPlugin["onRetrieve"]>) {
          super.refuseTooMany(this.selectedPartitions(selector));
          return super.onRetrieve(selector, request);
        }
        protected override refuseTooMany() {}
      })(),
  }),
  pluginMutant({
    id: "list-values-unbounded",
    defect: "any number of values is listed, regardless of `values_max`",
    check: "list/no-more-values-than-asked-for",
    names: /onList with values_max 2, of 3 groups/,
    createPlugin: () =>
      new (class extends ListingPlugin {
        protected override refuseTooManyValues() {}
      })(),
  }),
];

export const listMutants: readonly Mutant[] = [...values, ...scopes];
