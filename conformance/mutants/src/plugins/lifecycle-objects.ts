import type { StoreItem } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { ListingPlugin } from "../reference/listing-plugin.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";
import { lifecycleFilesMutants } from "./lifecycle-files.js";

const OBJECTS = "lifecycle/objects-are-not-shared";
/** Dropped rows of a few rounds of the check. */
const FREED_AFTER = 1_500;
const GROWTH = "lifecycle/nothing-grows-with-what-is-gone";

export const lifecycleObjectsMutants: readonly Mutant[] = [
  pluginMutant({
    id: "lifecycle-keeps-the-callers-entries",
    defect: "the objects of a store are kept, and change if the caller changes them",
    check: OBJECTS,
    names: /after a change of the request and the result of the store/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override taken(entries: readonly StoreItem[]): readonly StoreItem[] {
          return entries;
        }
      })(),
  }),
  pluginMutant({
    id: "lifecycle-returns-its-own-entries",
    defect: "a retrieve returns the stored objects themselves",
    check: OBJECTS,
    names: /entries that a retrieve returns after a change of the request and the result of a retrieve/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override copy(row: Row): Row {
          return row;
        }
      })(),
  }),
  pluginMutant({
    id: "lifecycle-returns-its-own-receipts",
    defect: "the receipts of a store are the remembered ones, and a caller can change them",
    check: OBJECTS,
    names: /status of the store after a change of the request and the result of the store/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override given(result: Parameters<ReferencePlugin["given"]>[0]) {
          return result;
        }
      })(),
  }),
  pluginMutant({
    id: "lifecycle-caches-its-lists",
    defect: "a list is answered from a cache, with the objects of the first reply",
    check: OBJECTS,
    names: /values of a list after a change of the same list/,
    createPlugin: () =>
      new (class extends ListingPlugin {
        #list: ReturnType<ListingPlugin["onList"]> | undefined;

        override onList(...args: Parameters<ListingPlugin["onList"]>) {
          this.#list ??= super.onList(...args);
          return this.#list;
        }
      })(),
  }),
  pluginMutant({
    id: "retry-results-never-end",
    defect: "results are remembered for ever",
    check: "retry/results-end",
    names: /a status of a store after 1,200 s/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override dropOperations(): void {}
      })(),
  }),
  pluginMutant({
    id: "lifecycle-results-kept-in-memory",
    defect: "results that have ended are not found any more, but stay in memory",
    check: GROWTH,
    names: /the memory of a plugin grow/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly ended: unknown[] = [];

        protected override dropOperations(): void {
          const before = [...this.operations.values()];
          super.dropOperations();
          this.ended.push(...before.slice(0, before.length - this.operations.size));
        }
      })(),
  }),
  pluginMutant({
    id: "lifecycle-forgotten-kept-in-memory",
    defect: "forgotten entries stay in memory in an index",
    check: GROWTH,
    names: /the memory of a plugin grow/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly indexed: Row[] = [];

        protected override drop(...args: Parameters<ReferencePlugin["drop"]>): void {
          this.indexed.push(args[0]);
          super.drop(...args);
        }
      })(),
  }),
  pluginMutant({
    id: "lifecycle-forgotten-kept-while-memory-is-freed",
    defect: "forgotten entries stay in memory in an index, and other memory is freed once",
    check: GROWTH,
    names: /the memory of a plugin grow/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly indexed: Row[] = [];
        cache: Buffer | undefined = Buffer.alloc(4_000_000);

        protected override drop(...args: Parameters<ReferencePlugin["drop"]>): void {
          this.indexed.push(args[0]);
          if (this.indexed.length > FREED_AFTER) this.cache = undefined;
          super.drop(...args);
        }
      })(),
  }),
  ...lifecycleFilesMutants,
];
