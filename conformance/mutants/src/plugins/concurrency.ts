import { setImmediate } from "node:timers/promises";
import { systemClock } from "@membus/protocol";
import type { PluginRetrieveResult } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

type StoreOne = Parameters<ReferencePlugin["storeOne"]>;

/** Time for which a reply is cached for equal requests. */
const CACHED_SECONDS = 0.5;

export const concurrencyMutants: readonly Mutant[] = [
  pluginMutant({
    id: "concurrency-inserts-twice",
    defect: "the existence of a key is checked some time before its row is inserted",
    check: "concurrency/one-entry-per-key",
    names: /entries of a key after 20 concurrent stores/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        #copies = 0;

        protected override async storeOne(...[partition, item, ...how]: StoreOne) {
          const isNew = this.previous(partition, item) === undefined;
          await setImmediate();
          const other = partition.rows.get(item.key_hash);
          if (isNew && other !== undefined) {
            partition.rows.delete(item.key_hash);
            partition.rows.set(`copy ${this.#copies++}`, other);
          }
          return super.storeOne(partition, item, ...how);
        }
      })(),
  }),
  pluginMutant({
    id: "concurrency-writes-whole-partition",
    defect: "a store reads the partition, adds its entry, and writes the partition back",
    check: "concurrency/every-key-is-kept",
    names: /keys after 40 concurrent stores of a key each/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async storeOne(...[partition, item, ...how]: StoreOne) {
          const read = [...partition.rows];
          await setImmediate();
          const fate = await super.storeOne(partition, item, ...how);
          const row = partition.rows.get(item.key_hash);
          partition.rows.clear();
          for (const [key, former] of read) partition.rows.set(key, former);
          if (row !== undefined) partition.rows.set(item.key_hash, row);
          return fate;
        }
      })(),
  }),
  pluginMutant({
    id: "concurrency-compares-then-sets",
    defect: "`if_revision` is compared some time before the entry is written",
    check: "concurrency/compare-and-set-has-one-winner",
    names: /receipts of 20 concurrent stores with the same `if_revision`/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async storeOne(...[partition, item, ...how]: StoreOne) {
          const error = this.refusal(item, this.previous(partition, item));
          if (error !== undefined) return { error };
          await setImmediate();
          const { if_revision: _, ...unconditional } = item;
          return super.storeOne(partition, unconditional, ...how);
        }
      })(),
  }),
  pluginMutant({
    id: "concurrency-last-revision-will-do",
    defect: "`if_revision` may also be the revision before the current one",
    check: "concurrency/compare-and-set-loses-no-update",
    names: /a number after 24 increments by compare-and-set/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly #former = new Map<string, number>();

        protected override merge(...[item, previous, context]: Parameters<ReferencePlugin["merge"]>) {
          if (previous) this.#former.set(item.key_hash, previous.revision);
          return super.merge(item, previous, context);
        }

        protected override refusal(...[item, previous]: Parameters<ReferencePlugin["refusal"]>) {
          const isFormer = previous !== undefined && item.if_revision === this.#former.get(item.key_hash);
          return isFormer ? undefined : super.refusal(item, previous);
        }
      })(),
  }),
  pluginMutant({
    id: "concurrency-caches-replies",
    defect: "the reply to a retrieve is cached for half a second for equal requests",
    check: "concurrency/answered-is-visible",
    names: /content of a key right after the reply to a store/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly #replies = new Map<string, { readonly at: number; readonly result: PluginRetrieveResult }>();

        override async onRetrieve(...[selector, request]: Parameters<ReferencePlugin["onRetrieve"]>) {
          const key = JSON.stringify([selector, { ...request, as_of: 0 }]);
          const cached = this.#replies.get(key);
          if (cached && systemClock.now() - cached.at < CACHED_SECONDS) return cached.result;
          const result = await super.onRetrieve(selector, request);
          this.#replies.set(key, { at: systemClock.now(), result });
          return result;
        }
      })(),
  }),
  pluginMutant({
    id: "concurrency-forgets-twice",
    defect: "a forget counts the entries that it selected, even if another one deleted them first",
    check: "concurrency/forget-counts-each-once",
    names: /sum of `deleted` of 3 concurrent forgets/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async forgetAll(...[selector, request]: Parameters<ReferencePlugin["forgetAll"]>) {
          const doomed = this.doomed(selector, request);
          await setImmediate();
          await super.forgetAll(selector, request);
          return this.result(doomed.length, request.op);
        }
      })(),
  }),
  pluginMutant({
    id: "concurrency-store-outlives-forget",
    defect: "a store that waits for its embedder writes its row again, even after a forget in between",
    check: "concurrency/store-and-forget-add-up",
    names: /entries left after 8 stores and 2 forgets sent at once/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async storeOne(...[partition, item, ...how]: StoreOne) {
          const fate = super.storeOne(partition, item, ...how);
          const row = partition.rows.get(item.key_hash);
          await setImmediate();
          if (row !== undefined) partition.rows.set(item.key_hash, row);
          return fate;
        }
      })(),
  }),
];
