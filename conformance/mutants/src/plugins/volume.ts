import { createHash } from "node:crypto";
import { type Scope, type ScopeSelector, scopeId } from "@membus/protocol";
import type { PluginForgetRequest, PluginRetrieveRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";
import { ListingPlugin } from "../reference/listing-plugin.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Found, Row } from "../reference/row.js";
import { volumeThousandsMutants } from "./volume-thousands.js";

type Find = Parameters<ReferencePlugin["find"]>;

/** The reference plugin with changed results of a search. */
function finding(
  change: (found: Found[], plugin: FindingAgain, ...asked: Find) => Found[] | Promise<Found[]>,
): () => ReferencePlugin {
  return () => new FindingAgain(change);
}

class FindingAgain extends ReferencePlugin {
  readonly #change: Parameters<typeof finding>[0];

  constructor(change: Parameters<typeof finding>[0]) {
    super();
    this.#change = change;
  }

  soundly(...asked: Find): Promise<Found[]> {
    return super.find(...asked);
  }

  meets(row: Row, request: PluginRetrieveRequest): boolean {
    return this.isSelected(row, request);
  }

  protected override async find(...asked: Find): Promise<Found[]> {
    return this.#change(await super.find(...asked), this, ...asked);
  }
}

/** Returns the best rows of all partitions from one index, filtered afterwards. */
const oneIndex = (topMax: number, isAsked: (request: PluginRetrieveRequest) => boolean) =>
  finding(async (found, plugin, selector, request) => {
    if (!isAsked(request)) return found;
    const everything = { ...request, filter: { all: [] } };
    const top = (await plugin.soundly(selector, everything)).slice(0, topMax);
    return top.filter(({ row }) => plugin.meets(row, request));
  });

/** The reference plugin with forgets that delete other rows than they select. */
function forgetting(change: (doomed: Row[], request: PluginForgetRequest) => Row[]): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override doomed(...[selector, request]: Parameters<ReferencePlugin["doomed"]>) {
        return change(super.doomed(selector, request), request);
      }
    })();
}

function isNamed({ filter }: Pick<PluginRetrieveRequest, "filter">): boolean {
  return JSON.stringify(filter).includes('"key_hash"');
}

const readMutants: readonly Mutant[] = [
  pluginMutant({
    id: "volume-lists-two-thousand",
    defect: "at most the first 2,000 entries of a partition are listed, a common database default",
    check: "volume/every-entry-is-listed",
    names: /total and entries of limit 0/,
    createPlugin: finding((found) => found.slice(0, 2_000)),
  }),
  pluginMutant({
    id: "volume-pages-of-five-hundred",
    defect: "a page has at most 500 entries, regardless of its limit",
    check: "volume/every-entry-is-listed",
    names: /numbers on the pages by newest/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...[found, request]: Parameters<ReferencePlugin["page"]>) {
          return super.page(found, { ...request, limit: Math.min(request.limit, 500) });
        }
      })(),
  }),
  pluginMutant({
    id: "volume-999-keys",
    defect: "at most 999 keys are looked up, the parameter limit of a statement",
    check: "volume/every-entry-is-listed",
    names: /numbers found by 1,000 keys/,
    createPlugin: finding((found, _, __, request) => (isNamed(request) ? found.slice(0, 999) : found)),
  }),
  pluginMutant({
    id: "volume-counts-to-a-thousand",
    defect: "matches are counted up to 1,000 and reported as exact",
    check: "volume/criteria-select-among-many",
    names: /total by/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override page(...[found, request]: Parameters<ReferencePlugin["page"]>) {
          const page = super.page(found, request);
          return "all" in request.filter && request.filter.all.length === 0
            ? page
            : { ...page, total: Math.min(page.total, 1_000) };
        }
      })(),
  }),
  pluginMutant({
    id: "volume-criteria-on-the-newest",
    defect: "tags and fields are only searched in the newest 2,000 entries",
    check: "volume/criteria-select-among-many",
    names: /total by \{"tags":\["even"\]\}/,
    createPlugin: oneIndex(2_000, (request) => request.query === undefined && !isNamed(request)),
  }),
  pluginMutant({
    id: "volume-filters-the-best-thousand",
    defect: "criteria are applied to the thousand best entries that a query by words finds",
    check: "volume/words-among-many",
    names: /numbers of a query in mode text with/,
    createPlugin: oneIndex(1_000, ({ mode, query }) => query !== undefined && mode === "text"),
  }),
  pluginMutant({
    id: "volume-finds-five-hundred-by-words",
    defect: "a query by words finds 500 entries at most",
    check: "volume/words-among-many",
    names: /total of a query in mode text that \d+ entries match/,
    createPlugin: finding((found, _, __, { mode, query }) =>
      query !== undefined && mode === "text" ? found.slice(0, 500) : found,
    ),
  }),
  pluginMutant({
    id: "volume-filters-the-nearest-hundred",
    defect: "criteria are applied to the hundred nearest vectors",
    check: "volume/meaning-among-many",
    names: /numbers of a query in mode vector with/,
    createPlugin: oneIndex(100, ({ mode, query }) => query !== undefined && mode === "vector"),
  }),
  pluginMutant({
    id: "volume-nearest-of-all-partitions",
    defect: "the thousand nearest vectors are selected from all partitions before the caller's are filtered",
    check: "volume/meaning-among-many",
    names: /numbers of a query in mode vector, with 1500 better entries in another partition/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async find(...[selector, request]: Find) {
          const found = await super.find(selector, request);
          if (request.query === undefined || request.mode !== "vector") return found;
          const everybody = [...this.partitions.values()].map(({ scope }) => ({ ...scope, subtree: false }));
          const lists = await Promise.all(everybody.map((scope) => super.find(scope, request)));
          const nearest = lists.flat().sort((a, b) => this.compare(a, b, request));
          const top = new Set(nearest.slice(0, 1_000).map(({ row }) => row));
          return found.filter(({ row }) => top.has(row));
        }
      })(),
  }),
  pluginMutant({
    id: "volume-filters-hybrid-late",
    defect: "in mode hybrid criteria are applied to the 1,400 best",
    check: "volume/meaning-among-many",
    names: /numbers of a query in mode hybrid with/,
    createPlugin: oneIndex(1_400, ({ mode, query }) => query !== undefined && mode === "hybrid"),
  }),
];

const writeMutants: readonly Mutant[] = [
  pluginMutant({
    id: "volume-batches-cut",
    defect: "only the first 256 existing keys of a batch are looked up, and the others are treated as new",
    check: "volume/batch-of-every-outcome",
    names: /receipts of a store of 500 existing and 500 new keys/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async storeOne(
          ...[partition, item, ...more]: Parameters<ReferencePlugin["storeOne"]>
        ) {
          const fate = await super.storeOne(partition, item, ...more);
          const isUpdate = "receipt" in fate && fate.receipt.outcome === "updated";
          if (!isUpdate || item.index < 256) return fate;
          return { receipt: { ...fate.receipt, outcome: "created" as const } };
        }
      })(),
  }),
  pluginMutant({
    id: "volume-batches-in-parallel-parts",
    defect: "a batch is written in parts of 300, with receipts indexed within the part",
    check: "volume/batch-of-every-outcome",
    names: /receipts of a store of 500 existing and 500 new keys/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async storeAll(...args: Parameters<ReferencePlugin["storeAll"]>) {
          const { receipts, errors } = await super.storeAll(...args);
          return { receipts: receipts.map((one) => ({ ...one, index: one.index % 300 })), errors };
        }
      })(),
  }),
  pluginMutant({
    id: "volume-last-of-a-large-batch-lost",
    defect: "the last entry of a batch of more than 512 is acknowledged, and not kept",
    check: "volume/batch-of-every-outcome",
    names: /total after that store/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async storeAll(...[scope, request]: Parameters<ReferencePlugin["storeAll"]>) {
          const result = await super.storeAll(scope, request);
          const last = request.entries.at(-1)!;
          if (request.entries.length > 512) this.partition(scope).rows.delete(this.rowKey(last));
          return result;
        }
      })(),
  }),
  pluginMutant({
    id: "volume-forgets-a-thousand",
    defect: "a forget deletes at most a thousand entries",
    check: "volume/forget-takes-all-it-selects",
    names: /`deleted` of a forget by a tag that 1600 of 2400/,
    createPlugin: forgetting((doomed) => doomed.slice(0, 1_000)),
  }),
  pluginMutant({
    id: "volume-tells-more-than-it-forgets",
    defect: "a forget counts all selected entries, but deletes only the first 1,500",
    check: "volume/forget-takes-all-it-selects",
    names: /numbers listed after a forget by a tag/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async forgetAll(...[selector, request]: Parameters<ReferencePlugin["forgetAll"]>) {
          const doomed = this.doomed(selector, request);
          for (const row of doomed.slice(0, 1_500)) this.drop(row, "forgotten", request.op.agent);
          return this.result(doomed.length, request.op);
        }
      })(),
  }),
  pluginMutant({
    id: "volume-dry-run-counts-a-page",
    defect: "a dry run counts up to a thousand",
    check: "volume/forget-takes-all-it-selects",
    names: /`deleted` of a forget by a tag that 1600 of 2400 entries have, as a dry run/,
    createPlugin: forgetting((doomed, { dry_run }) => (dry_run ? doomed.slice(0, 1_000) : doomed)),
  }),
  pluginMutant({
    id: "volume-subtree-reads-the-first",
    defect: "only the first 300 entries of each partition of a subtree are read",
    check: "volume/subtree-holds-many",
    names: /total of a read of a\/\*\*/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override select(...[selector, request]: Parameters<ReferencePlugin["select"]>) {
          const rows = super.select(selector, request);
          if (!selector.subtree || !("limit" in request)) return rows;
          return rows.filter((row) => [...this.partition(row.scope).rows.values()].indexOf(row) < 300);
        }
      })(),
  }),
  pluginMutant({
    id: "volume-subtree-forgets-a-thousand",
    defect: "a forget of a subtree deletes at most a thousand entries",
    check: "volume/subtree-holds-many",
    names: /`deleted` of a forget of a\/\*\*/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override doomed(...[selector, request]: Parameters<ReferencePlugin["doomed"]>) {
          const doomed = super.doomed(selector, request);
          return (selector as ScopeSelector).subtree ? doomed.slice(0, 1_000) : doomed;
        }
      })(),
  }),
  pluginMutant({
    id: "volume-reports-a-thousand",
    defect: "at most a thousand deleted entries of a forget are reported",
    check: "volume/every-forgotten-is-reported",
    names: /changes reported of a forget of 1600 entries/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        #reported = 0;

        protected override report(...what: Parameters<ReferencePlugin["report"]>): void {
          if (++this.#reported <= 1_000) super.report(...what);
        }
      })(),
  }),
  pluginMutant({
    id: "volume-expires-a-thousand",
    defect: "a sweep removes a thousand expired entries, and there is one sweep per hour",
    check: "volume/every-expired-is-reported",
    names: /changes reported after 1600 of 2400 entries have expired/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        #left = 1_000;

        protected override drop(...[row, action, agent]: Parameters<ReferencePlugin["drop"]>): void {
          if (action !== "expired" || this.#left-- > 0) super.drop(row, action, agent);
        }
      })(),
  }),
  pluginMutant({
    id: "volume-keeps-open-256",
    defect: "only the 256 last used partitions are kept open, and the others are lost",
    check: "volume/many-partitions",
    names: /namespaces, of 300, without their one entry/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override partition(...[scope]: Parameters<ReferencePlugin["partition"]>) {
          const partition = super.partition(scope);
          const key = this.partitionKey(scope);
          this.partitions.delete(key);
          this.partitions.set(key, partition);
          if (this.partitions.size > 256) this.partitions.delete(this.partitions.keys().next().value!);
          return partition;
        }
      })(),
  }),
  pluginMutant({
    id: "volume-partitions-in-buckets",
    defect: "partitions share 4,096 buckets by a hash",
    check: "volume/many-partitions",
    names: /namespaces, of 300, without their one entry/,
    tier: "semantic",
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override partitionKey(scope: Scope): string {
          return createHash("sha256").update(scopeId(scope)).digest("hex").slice(0, 3);
        }
      })(),
  }),
  pluginMutant({
    id: "volume-lists-a-thousand-values",
    defect: "at most a thousand values are listed",
    check: "volume/every-value-is-listed",
    names: /total of a list of group/,
    createPlugin: () =>
      new (class extends ListingPlugin {
        override async onList(...args: Parameters<ListingPlugin["onList"]>) {
          const { items } = await super.onList(...args);
          return { items: items.slice(0, 1_000) };
        }
      })(),
  }),
  pluginMutant({
    id: "volume-snapshot-of-a-thousand",
    defect: "a rewrite of the journal omits rows after the first 1,500",
    check: "volume/survives-reopen",
    names: /numbers after maintenance, close and open/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override rewritten() {
          const line = super.rewritten();
          return { ...line, rows: line.rows.slice(0, 1_500) };
        }
      })(),
  }),
  pluginMutant({
    id: "volume-replays-first-versions",
    defect: "in a batch that updates more than 500 entries the later ones are read in their former state",
    check: "volume/survives-reopen",
    names: /content of their update, after maintenance, close and open/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends DurablePlugin {
        protected override rewritten() {
          const line = super.rewritten();
          const before = (row: Row) => ({ ...row, content: "before" });
          return { ...line, rows: line.rows.map((row, at) => (at < 500 ? row : before(row))) };
        }
      })(),
  }),
];

export const volumeMutants: readonly Mutant[] = [...readMutants, ...writeMutants, ...volumeThousandsMutants];
