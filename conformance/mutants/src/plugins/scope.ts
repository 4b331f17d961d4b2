import type { Filter, Scope, ScopeSelector } from "@membus/protocol";
import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import { rewriteRequests } from "../hosts/intercept.js";
import { without } from "../hosts/rewrite-entries.js";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { type Partition, ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";
import { scopeNameMutants } from "./scope-names.js";

/** The reference plugin that identifies partitions by a part of their scopes. */
function filingBy(rule: (scope: Scope) => string): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override partitionKey(scope: Scope): string {
      return rule(scope);
    }

    protected override selects(selector: ScopeSelector, scope: Scope): boolean {
      const { subtree, ...selected } = selector;
      return subtree ? super.selects(selector, scope) : rule(selected) === rule(scope);
    }
  })();
}

function overlooking(field: keyof Scope): ReferencePlugin {
  return filingBy((scope) => JSON.stringify(Object.entries(without({ ...scope }, field)).sort()));
}

/** The reference plugin with a relevance that falls with the number of all rows. */
function weighingByAll(mode: PluginRetrieveRequest["mode"]): ReferencePlugin {
  return new (class extends ReferencePlugin {
    protected override relevance(...[row, request, vector]: Parameters<ReferencePlugin["relevance"]>) {
      const sound = super.relevance(row, request, vector);
      const all = [...this.partitions.values()].reduce((sum, { rows }) => sum + rows.size, 0);
      return request.mode === mode ? sound / (1 + all / 100) : sound;
    }
  })();
}

function namesKeys(filter: Filter): boolean {
  if ("all" in filter) return filter.all.some(namesKeys);
  return "field" in filter && filter.field === "key_hash";
}

const partitionMutants: readonly Mutant[] = [
  pluginMutant({
    id: "scope-leaks-by-key",
    defect: "a retrieve by key finds the entry of any agent",
    check: "scope/agents-are-apart",
    names: /contents that the first agent gets by key/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override select(...[selector, request]: Parameters<ReferencePlugin["select"]>) {
          const rows = super.select(selector, request);
          if (!namesKeys(request.filter) || !("order" in request)) return rows;
          const everybodys = [...this.partitions.values()].filter(
            ({ scope }) => scope.agent !== selector.agent,
          );
          const others = everybodys.flatMap((partition) => [...partition.rows.values()]);
          return [...rows, ...others.filter((row) => this.isSelected(row, request))];
        }
      })(),
  }),
  pluginMutant({
    id: "scope-sessions-ignored",
    defect: "the sessions of an agent share their working memory",
    check: "scope/sessions-are-apart",
    names: /outcome of the first store of a key by the other session/,
    createPlugin: () => overlooking("session"),
  }),
  hostMutant({
    id: "scope-session-in-every-tier",
    defect: "episodic and semantic memory are kept apart by session too",
    check: "scope/session-is-of-the-working-tier",
    names: /keys of the tier (episodic|semantic) in another session/,
    tier: "episodic",
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        const { session_id, namespace, tier, entries } = fields as Record<string, string | undefined>;
        const [entry] = (entries ?? []) as readonly { tier?: string }[];
        const isDurable = ["episodic", "semantic"].includes(tier ?? entry?.tier ?? "");
        return session_id && isDurable ? { ...fields, namespace: `${namespace}/${session_id}` } : fields;
      }),
  }),
  pluginMutant({
    id: "scope-namespaces-ignored",
    defect: "the namespaces of an agent are one",
    check: "scope/namespaces-are-apart",
    names: /outcome of the first store of a key by the other namespace/,
    createPlugin: () => overlooking("namespace"),
  }),
  pluginMutant({
    id: "scope-tenants-ignored",
    defect: "agents of the same name in two tenants share their memory",
    check: "scope/tenants-are-apart",
    names: /outcome of the first store of a key by the second tenant/,
    createPlugin: () => overlooking("tenant"),
  }),
  pluginMutant({
    id: "scope-one-index-of-words",
    defect: "a query by words uses one index for all agents",
    check: "scope/search-is-of-ones-own",
    names: /contents that a query by words finds, with such an entry in another partition/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override select(...[selector, request]: Parameters<ReferencePlugin["select"]>) {
          const isSearch = "order" in request && (request as PluginRetrieveRequest).mode === "text";
          if (!isSearch) return super.select(selector, request);
          const scopes = [...this.partitions.values()].map(({ scope }) => scope);
          return scopes.flatMap((scope) => super.select({ ...scope, subtree: false }, request));
        }
      })(),
  }),
  pluginMutant({
    id: "scope-equal-entries-are-one-row",
    defect: "entries of the same key and content share one row across agents",
    check: "scope/equal-entries-are-not-one",
    names: /contents left after another tenant forgot the same entry/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override drop(...[row, action, agent]: Parameters<ReferencePlugin["drop"]>) {
          super.drop(row, action, agent);
          const same = ({ content }: Row) => JSON.stringify(content) === JSON.stringify(row.content);
          for (const { rows } of this.partitions.values()) {
            const other = rows.get(row.key_hash);
            if (other !== undefined && same(other)) rows.delete(row.key_hash);
          }
        }
      })(),
  }),
  pluginMutant({
    id: "scope-semantic-rows-by-author",
    defect: "in the semantic tier every agent has a separate entry for a key",
    check: "scope/semantic-is-shared",
    names: /outcome of a store over another agent's entry/,
    tier: "semantic",
    createPlugin: () =>
      new (class extends ReferencePlugin {
        #acting = "";

        override onStore(...[scope, request]: Parameters<ReferencePlugin["onStore"]>) {
          this.#acting = request.op.agent;
          return super.onStore(scope, request);
        }

        protected override rowKey(item: Parameters<ReferencePlugin["rowKey"]>[0]): string {
          const { author = this.#acting } = item as Partial<Row>;
          return `${item.key_hash} ${author}`;
        }
      })(),
  }),
  pluginMutant({
    id: "scope-joined-with-a-colon",
    defect: "a partition is identified by the names of its scope joined with a colon",
    check: "scope/names-do-not-collide",
    names: /that join to another's with ":"/,
    createPlugin: () =>
      filingBy(({ tier, tenant, agent, session, namespace }) =>
        [tier, tenant, agent, session, namespace].join(":"),
      ),
  }),
];

const independenceMutants: readonly Mutant[] = [
  pluginMutant({
    id: "scope-text-statistics-shared",
    defect: "word statistics cover all partitions",
    check: "scope/text-scores-do-not-depend-on-others",
    names: /in mode text after 60 entries with a word of it in another partition/,
    createPlugin: () => weighingByAll("text"),
  }),
  pluginMutant({
    id: "scope-vector-statistics-shared",
    defect: "cosines are scaled by the number of vectors in all partitions",
    check: "scope/vector-scores-do-not-depend-on-others",
    names: /in mode vector after 60 entries with a word of it in another partition/,
    createPlugin: () => weighingByAll("vector"),
  }),
  pluginMutant({
    id: "scope-conflict-names-anothers-revision",
    defect: "`if_revision` is compared with the revision of the key in any partition",
    check: "scope/conflict-tells-nothing-of-others",
    names: /of a key that exists only in another partition/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override refusal(...[item, previous]: Parameters<ReferencePlugin["refusal"]>) {
          const everywhere = [...this.partitions.values()].map(({ rows }) => rows.get(item.key_hash));
          return super.refusal(item, previous ?? everywhere.find(Boolean));
        }
      })(),
  }),
  pluginMutant({
    id: "scope-revisions-from-one-counter",
    defect: "revisions come from one counter for all partitions",
    check: "scope/revisions-do-not-count-others",
    names: /growth of a revision from store to store/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        #last = 0;

        protected override nextRevision(_partition: Partition): number {
          return ++this.#last;
        }
      })(),
  }),
  pluginMutant({
    id: "scope-total-of-all-partitions",
    defect: "`total` without criteria is the number of all rows",
    check: "scope/order-and-total-do-not-depend-on-others",
    names: /total of 3 entries, with 30 in another partition/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override async onRetrieve(...[selector, request]: Parameters<ReferencePlugin["onRetrieve"]>) {
          const page = await super.onRetrieve(selector, request);
          const isEverything = JSON.stringify(request.filter) === '{"all":[]}' && request.query === undefined;
          const all = [...this.partitions.values()].reduce((sum, { rows }) => sum + rows.size, 0);
          return isEverything ? { ...page, total: all } : page;
        }
      })(),
  }),
];

export const scopeMutants: readonly Mutant[] = [
  ...partitionMutants,
  ...scopeNameMutants,
  ...independenceMutants,
];
