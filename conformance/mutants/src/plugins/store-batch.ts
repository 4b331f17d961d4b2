import type {
  PluginRetrieveResult,
  PluginStoreRequest,
  PluginStoreResult,
  StoreReceipt,
} from "@membus/protocol";
import { entriesOf, isFields, readingStores } from "../hosts/rewrite-entries.js";
import type { Mutant } from "../mutant.js";
import { hostMutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";

/** The reference plugin, whose stores have another result. */
function resulting(
  change: (result: PluginStoreResult, request: PluginStoreRequest) => PluginStoreResult,
): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override async storeAll(...[scope, request]: Parameters<ReferencePlugin["storeAll"]>) {
        return change(await super.storeAll(scope, request), request);
      }
    })();
}

/** The reference plugin, which acknowledges all entries of a store and keeps these. */
function keepingOf(kept: (entries: PluginStoreRequest["entries"]) => PluginStoreRequest["entries"]) {
  return () =>
    new (class extends ReferencePlugin {
      protected override async storeAll(...[scope, request]: Parameters<ReferencePlugin["storeAll"]>) {
        const entries = kept(request.entries);
        const { receipts, errors } = await super.storeAll(scope, { ...request, entries });
        const lost = request.entries.filter((item) => !entries.includes(item));
        const { lastRevision } = this.partition(scope);
        const claimed = lost.map(({ index, key_hash }, at): StoreReceipt => {
          return { index, key_hash, outcome: "created", revision: lastRevision + at + 1 };
        });
        return { receipts: [...receipts, ...claimed], errors };
      }
    })();
}

/** Positions in the request in place of the indexes that its entries have. */
function byPosition<Fate extends { readonly index: number }>(
  fates: readonly Fate[],
  request: PluginStoreRequest,
): Fate[] {
  const indexes = request.entries.map(({ index }) => index);
  return fates.map((fate) => ({ ...fate, index: indexes.indexOf(fate.index) }));
}

export const storeBatchMutants: readonly Mutant[] = [
  pluginMutant({
    id: "store-always-created",
    defect: "the outcome of an update is `created`",
    check: "store/created-then-updated",
    names: /outcome of a store of the same key with other content/,
    createPlugin: resulting(({ receipts, errors }) => ({
      receipts: receipts.map((receipt) =>
        receipt.outcome === "updated" ? { ...receipt, outcome: "created" } : receipt,
      ),
      errors,
    })),
  }),
  pluginMutant({
    id: "store-one-outcome-for-all",
    defect: "all entries of a store get the outcome of its first",
    check: "store/outcomes-of-one-batch",
    names: /indexes and outcomes of a store of an entry that is there/,
    createPlugin: resulting(({ receipts, errors }) => ({
      receipts: receipts.map((receipt) => ({ ...receipt, outcome: receipts[0]!.outcome })),
      errors,
    })),
  }),
  pluginMutant({
    id: "store-drops-the-last-of-a-batch",
    defect: "the last entry of a store of several is acknowledged and not kept",
    check: "store/every-entry-of-a-batch-is-kept",
    names: /keys and contents of all entries after a store of 7/,
    createPlugin: keepingOf((entries) => (entries.length > 1 ? entries.slice(0, -1) : entries)),
  }),
  pluginMutant({
    id: "store-contents-of-a-batch-are-mixed-up",
    defect: "the entries of a store of several get the content of the first",
    check: "store/every-entry-of-a-batch-is-kept",
    names: /keys and contents of all entries after a store of 7/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override itemsOf({ entries }: PluginStoreRequest) {
          return entries.map((item) => ({ ...item, content: entries[0]!.content }));
        }
      })(),
  }),
  pluginMutant({
    id: "store-keeps-500-of-a-batch",
    defect: "of a store all entries behind the first 500 are acknowledged and not kept",
    check: "store/a-thousand-entries",
    names: /keys found of the last 50 entries of a store of 1000/,
    createPlugin: keepingOf((entries) => entries.slice(0, 500)),
  }),
  hostMutant({
    id: "store-reads-500-of-a-batch",
    defect: "entries of a store behind the first 500 are not looked at, and get neither receipt nor error",
    check: "store/a-thousand-entries",
    names: /indexes of the receipts of a store of 1000 entries/,
    bus: readingStores((store) => ({ ...store, entries: entriesOf(store).slice(0, 500) })),
  }),
  pluginMutant({
    id: "store-pages-are-cached",
    defect: "a page is returned again for the same criteria, although a store or forget came between",
    check: "store/is-seen-at-once",
    names: /and the count, after a store of `two`/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly #pages = new Map<string, Promise<PluginRetrieveResult>>();

        override async onRetrieve(...[selector, request]: Parameters<ReferencePlugin["onRetrieve"]>) {
          const { as_of: _, ...criteria } = request;
          const page = JSON.stringify([selector, criteria]);
          if (!this.#pages.has(page)) this.#pages.set(page, super.onRetrieve(selector, request));
          return (await this.#pages.get(page))!;
        }
      })(),
  }),
  pluginMutant({
    id: "store-count-is-cached",
    defect: "a retrieve with limit 0 is answered with the count of the one before it",
    check: "store/is-seen-at-once",
    names: /and the count, after a forget/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        #count: number | undefined;

        protected override page(...[found, request]: Parameters<ReferencePlugin["page"]>) {
          const page = super.page(found, request);
          if (request.limit > 0) return page;
          this.#count ??= page.total;
          return { ...page, total: this.#count };
        }
      })(),
  }),
  pluginMutant({
    id: "store-queued-is-seen-after-maintenance",
    defect: "what is stored with ack `queued` is seen when the plugin has maintained itself",
    check: "store/queued-is-seen-at-once",
    names: /entries right after a store of two new entries with ack `queued`/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly #queued = new Set<Row>();

        protected override async storeOne(
          ...[partition, item, op, ack]: Parameters<ReferencePlugin["storeOne"]>
        ) {
          const fate = await super.storeOne(partition, item, op, ack);
          if (ack === "queued") this.#queued.add(partition.rows.get(this.rowKey(item))!);
          return fate;
        }

        protected override isLive(...[row, request]: Parameters<ReferencePlugin["isLive"]>) {
          return !this.#queued.has(row) && super.isLive(row, request);
        }

        override async maintain() {
          this.#queued.clear();
        }
      })(),
  }),
  pluginMutant({
    id: "store-queued-is-superseded",
    defect: "the receipts of a store with ack `queued` say `superseded`",
    check: "store/queued-is-seen-at-once",
    names: /`stored` of a store of two new entries with ack `queued`/,
    createPlugin: resulting(({ receipts, errors }, { ack }) => ({
      receipts: receipts.map((receipt) =>
        ack === "queued" ? { ...receipt, outcome: "superseded" } : receipt,
      ),
      errors,
    })),
  }),
  hostMutant({
    id: "store-namespace-of-the-first-entry",
    defect: "a store goes to the namespace that its first entry names",
    check: "store/namespace-of-an-entry-is-ignored",
    names: /content, found in that namespace, of a retrieved entry/,
    bus: readingStores((store) => {
      const [first] = entriesOf(store).filter(isFields);
      return typeof first?.namespace === "string" ? { ...store, namespace: first.namespace } : store;
    }),
  }),
  pluginMutant({
    id: "store-fates-by-position",
    defect: "receipts count the entries that the plugin got instead of taking their index",
    check: "store/fates-are-by-index",
    names: /index, key hash and outcome of the receipts of onStore/,
    createPlugin: resulting(({ receipts, errors }, request) => ({
      receipts: byPosition(receipts, request),
      errors,
    })),
  }),
  pluginMutant({
    id: "store-unchanged-has-no-receipt",
    defect: "an entry that is unchanged gets no receipt",
    check: "store/fates-are-by-index",
    names: /index, key hash and outcome of the receipts of onStore/,
    createPlugin: resulting(({ receipts, errors }) => ({
      receipts: receipts.filter(({ outcome }) => outcome !== "unchanged"),
      errors,
    })),
  }),
  pluginMutant({
    id: "store-update-has-two-receipts",
    defect: "an update gets a receipt for the old entry and one for the new",
    check: "store/fates-are-by-index",
    names: /index, key hash and outcome of the receipts of onStore/,
    createPlugin: resulting(({ receipts, errors }) => ({
      receipts: receipts.flatMap((receipt) =>
        receipt.outcome === "updated" ? [receipt, receipt] : [receipt],
      ),
      errors,
    })),
  }),
  pluginMutant({
    id: "store-conflicts-by-position",
    defect: "errors count the entries that the plugin got instead of taking their index",
    check: "store/conflicts-are-by-index",
    names: /indexes of errors and receipts of onStore/,
    createPlugin: resulting(({ receipts, errors }, request) => ({
      receipts,
      errors: byPosition(errors, request),
    })),
  }),
];
