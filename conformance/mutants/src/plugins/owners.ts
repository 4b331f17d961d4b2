import { MemoryError, type Scope, type ScopeSelector, scopeId } from "@membus/protocol";
import type { Operation, StoreItem } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { filteringBy } from "../reference/filter-rules.js";
import { LineagePlugin } from "../reference/lineage-plugin.js";
import { ListingPlugin } from "../reference/listing-plugin.js";
import { OwningPlugin } from "../reference/owning-plugin.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";

/** The owning plugin that takes the owner of an entry from elsewhere than its last author. */
function ownedBy(
  owner: (item: StoreItem, agent: string, previous: Row | undefined, known: Map<string, string>) => string,
): OwningPlugin {
  return new (class extends OwningPlugin {
    readonly #known = new Map<string, string>();

    protected override merge(...[item, previous, context]: Parameters<ReferencePlugin["merge"]>): Row {
      this.#known.set(item.key_hash, context.agent);
      return super.merge(item, previous, context);
    }

    protected override refusalOfOthers({ agent }: Operation, item: StoreItem, scope: Scope) {
      const previous = this.previous(this.partition(scope), item);
      const isOwn = owner(item, agent, previous, this.#known) === agent;
      return isOwn ? undefined : new MemoryError("unauthorized", "the entry belongs to another agent");
    }
  })();
}

/** The reference plugin that keeps the first author of each entry, for one use. */
abstract class FirstAuthorPlugin extends ReferencePlugin {
  readonly #first = new Map<string, string>();

  protected override merge(...[item, previous, context]: Parameters<ReferencePlugin["merge"]>): Row {
    const row = super.merge(item, previous, context);
    if (previous === undefined) this.#first.set(this.#idOf(row), row.author);
    return row;
  }

  protected firstAuthor(row: Row): string {
    return this.#first.get(this.#idOf(row)) ?? row.author;
  }

  #idOf({ scope, key_hash }: Row): string {
    return `${scopeId(scope)} ${key_hash}`;
  }
}

const owners: readonly Mutant[] = [
  pluginMutant({
    id: "store-own-only-without-case",
    defect: "the author of an entry and the agent are compared without their case",
    check: "store/own-only-goes-by-the-last-author",
    names: /store with own_only by "FIRST" over an entry with an author of a similar name/,
    tier: "semantic",
    createPlugin: () =>
      ownedBy((_, agent, previous) => {
        const author = previous?.author ?? agent;
        return author.toLowerCase() === agent.toLowerCase() ? agent : author;
      }),
  }),
  pluginMutant({
    id: "store-own-only-remembers-the-forgotten",
    defect: "a forgotten entry still belongs to its author",
    check: "store/own-only-goes-by-the-last-author",
    names:
      /store with own_only by its author second over an entry (with a key that was forgotten|that has expired)/,
    tier: "semantic",
    createPlugin: () =>
      ownedBy((item, agent, previous, known) => previous?.author ?? known.get(item.key_hash) ?? agent),
  }),
  pluginMutant({
    id: "store-own-only-taken-by-an-equal-store",
    defect: "a store that changes nothing makes its agent the owner",
    check: "store/own-only-goes-by-the-last-author",
    names: /over an entry that another agent stored unchanged/,
    tier: "semantic",
    createPlugin: () =>
      ownedBy(
        (item, agent, previous, known) => (previous && known.get(item.key_hash)) ?? previous?.author ?? agent,
      ),
  }),
];

const authors: readonly Mutant[] = [
  pluginMutant({
    id: "entry-authors-without-case",
    defect: "`where` compares authors without their case",
    check: "entry/authors-of-like-names-are-apart",
    names: /ids with `eq` "(bob|Bob|BOB)" on author/,
    tier: "semantic",
    createPlugin: () =>
      filteringBy({
        leaf: (actual, { field, op, value }, sound) =>
          field === "author" && op === "eq" ? `${actual}`.toLowerCase() === `${value}`.toLowerCase() : sound,
      }),
  }),
  pluginMutant({
    id: "entry-authors-listed-in-one-spelling",
    defect: "authors are listed in the normal form of Unicode",
    check: "entry/authors-of-like-names-are-apart",
    names: /authors and counts of a list of/,
    tier: "semantic",
    createPlugin: () =>
      new (class extends ListingPlugin {
        protected override valuesOf(...[row, request]: Parameters<ListingPlugin["valuesOf"]>) {
          const values = super.valuesOf(row, request);
          return request.field === "author" ? values.map((value) => `${value}`.normalize("NFC")) : values;
        }
      })(),
  }),
  pluginMutant({
    id: "entry-author-index-of-the-first",
    defect: "`where` finds an entry by the author that created it",
    check: "entry/author-and-source-follow-each-update",
    names: /ids of the entries with the author .*, after updates by the other agent/,
    tier: "semantic",
    createPlugin: () =>
      new (class extends FirstAuthorPlugin {
        protected override isSelected(...[row, request]: Parameters<ReferencePlugin["isSelected"]>): boolean {
          return super.isSelected({ ...row, author: this.firstAuthor(row) }, request);
        }
      })(),
  }),
  pluginMutant({
    id: "notify-author-of-the-first-revision",
    defect: "expired entries are reported with the agent that created them",
    check: "notify/author-is-of-the-last-revision",
    names: /authors, revisions and agents of the reported changes/,
    tier: "semantic",
    createPlugin: () =>
      new (class extends FirstAuthorPlugin {
        protected override report(...[row, action, agent]: Parameters<ReferencePlugin["report"]>): void {
          super.report(row, action, action === "expired" ? this.firstAuthor(row) : agent);
        }
      })(),
  }),
  pluginMutant({
    id: "notify-author-is-the-source",
    defect: "forgotten entries are reported with their source as the author, if it is an agent",
    check: "notify/author-is-of-the-last-revision",
    names: /authors, revisions and agents of the reported changes/,
    tier: "semantic",
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly #agents = new Set<string>();

        protected override merge(...[item, previous, context]: Parameters<ReferencePlugin["merge"]>): Row {
          this.#agents.add(context.agent);
          return super.merge(item, previous, context);
        }

        protected override report(...[row, action, agent]: Parameters<ReferencePlugin["report"]>): void {
          const author = action === "forgotten" && this.#agents.has(row.source) ? row.source : row.author;
          super.report({ ...row, author }, action, agent);
        }
      })(),
  }),
];

const sources: readonly Mutant[] = [
  pluginMutant({
    id: "cascade-expired-sources-are-left",
    defect: "a cascade takes entries that have expired, but were not removed yet, for entries that are left",
    check: "cascade/expired-sources-are-not-left",
    names: /`deleted` and `cascaded` of a cascade over entries with sources that have expired/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        protected override own(selector: ScopeSelector): Row[] {
          const isOwn = ({ scope }: Row) =>
            scope.tenant === selector.tenant && scope.agent === selector.agent;
          const partitions = [...this.partitions.values()];
          return partitions.flatMap(({ rows }) => [...rows.values()]).filter(isOwn);
        }
      })(),
  }),
  pluginMutant({
    id: "cascade-sources-of-any-agent",
    defect: "a source with the same key in a partition of another agent or tenant counts as left",
    check: "cascade/sources-of-others-do-not-count",
    names: /`cascaded` of a cascade over entries with sources that only another tenant/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        protected override hasSourceLeft(
          ...[row, left]: Parameters<LineagePlugin["hasSourceLeft"]>
        ): boolean {
          return super.hasSourceLeft(row, left) || this.#isElsewhere(row);
        }

        #isElsewhere({ scope, sources = [] }: Row): boolean {
          const others = [...this.partitions.values()].filter(
            (one) => one.scope.tenant !== scope.tenant || one.scope.agent !== scope.agent,
          );
          return others.some(({ rows }) => sources.some((hash) => rows.has(hash)));
        }
      })(),
  }),
  pluginMutant({
    id: "cascade-sources-of-the-author-alone",
    defect: "in the shared tier only sources that the caller wrote count as left",
    check: "cascade/sources-of-others-do-not-count",
    names: /`cascaded` of a cascade over entries with sources that only another tenant/,
    tier: "semantic",
    createPlugin: () =>
      new (class extends LineagePlugin {
        protected override levels(...[own, selected, request]: Parameters<LineagePlugin["levels"]>) {
          const isOwn = ({ author }: Row) => author === request.op.agent;
          return super.levels(own.filter(isOwn), selected, request);
        }
      })(),
  }),
];

export const ownerMutants: readonly Mutant[] = [...owners, ...authors, ...sources];
