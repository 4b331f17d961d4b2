import type { StoreReceipt } from "@membus/protocol";
import type { PluginStoreRequest, PluginStoreResult } from "@membus/protocol/plugin";
import { entriesOf, isFields, readingStores } from "../hosts/rewrite-entries.js";
import type { Mutant } from "../mutant.js";
import { hostMutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

/** The reference plugin with changed results of stores. */
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

/** The reference plugin that acknowledges all entries of a store and keeps some. */
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

/** Replaces the indexes of entries with their positions in the plugin's request. */
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
    id: "store-keeps-500-of-a-batch",
    defect: "all entries of a store after the first 500 are acknowledged and not kept",
    check: "store/a-thousand-entries",
    names: /keys found of the last 50 entries of a store of 1000/,
    createPlugin: keepingOf((entries) => entries.slice(0, 500)),
  }),
  pluginMutant({
    id: "store-count-is-cached",
    defect: "a retrieve with limit 0 returns the count of the previous one",
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
    defect: "receipts have the position in the plugin's request instead of the index",
    check: "store/fates-are-by-index",
    names: /index, key hash and outcome of the receipts of onStore/,
    createPlugin: resulting(({ receipts, errors }, request) => ({
      receipts: byPosition(receipts, request),
      errors,
    })),
  }),
  pluginMutant({
    id: "store-conflicts-by-position",
    defect: "errors have the position in the plugin's request instead of the index",
    check: "store/conflicts-are-by-index",
    names: /indexes of errors and receipts of onStore/,
    createPlugin: resulting(({ receipts, errors }, request) => ({
      receipts,
      errors: byPosition(errors, request),
    })),
  }),
];
