import { type Filter, systemClock } from "@membus/protocol";
import type { PluginRetrieveRequest } from "@membus/protocol/plugin";
import { readingEntries, without } from "../hosts/rewrite-entries.js";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { type Partition, ReferencePlugin } from "../reference/reference-plugin.js";
import type { Found, Row } from "../reference/row.js";

/** The reference plugin that only hides expired entries until maintenance. */
class HidingPlugin extends ReferencePlugin {
  protected override sweep(): void {}

  override async maintain(): Promise<void> {
    super.sweep();
  }
}

type Request = Parameters<ReferencePlugin["isLive"]>[1];

/** The same plugin with some requests that find expired entries. */
function seeingEnded(sees: (request: Request, row: Row) => boolean): HidingPlugin {
  return new (class extends HidingPlugin {
    protected override isLive(row: Row, request: Request): boolean {
      return super.isLive(row, request) || sees(request, row);
    }
  })();
}

function isRetrieve(request: Request): request is PluginRetrieveRequest {
  return "order" in request;
}

function namesKeys({ filter }: Request): boolean {
  const { all } = filter as { readonly all: readonly Filter[] };
  return all.some((one) => "field" in one && one.field === "key_hash");
}

function isQuery(mode: PluginRetrieveRequest["mode"]) {
  return (request: Request) => isRetrieve(request) && request.query !== undefined && request.mode === mode;
}

const pathMutants: readonly Mutant[] = [
  pluginMutant({
    id: "ttl-not-enforced-in-listings",
    defect: "a listing returns expired entries",
    check: "ttl/gone-from-listing",
    names: /entries of a retrieve without criteria, 1 s after one of two entries has expired/,
    createPlugin: () =>
      seeingEnded(
        (request) => isRetrieve(request) && !request.query && !namesKeys(request) && request.limit > 0,
      ),
  }),
  pluginMutant({
    id: "ttl-not-enforced-by-key",
    defect: "a retrieve by key ignores the expiry of an entry",
    check: "ttl/gone-by-key",
    names: /entries of a retrieve by key, 1 s after one of two entries has expired/,
    createPlugin: () => seeingEnded((request) => isRetrieve(request) && namesKeys(request)),
  }),
  pluginMutant({
    id: "ttl-not-enforced-by-words",
    defect: "a query by words finds expired entries",
    check: "ttl/gone-from-full-text",
    names: /entries of a retrieve by words, 1 s after one of two entries has expired/,
    createPlugin: () => seeingEnded(isQuery("text")),
  }),
  pluginMutant({
    id: "ttl-not-enforced-by-vector",
    defect: "a query by vector finds expired entries",
    check: "ttl/gone-from-similarity",
    names: /entries of a retrieve by vector, 1 s after one of two entries has expired/,
    createPlugin: () => seeingEnded(isQuery("vector")),
  }),
  pluginMutant({
    id: "ttl-ended-are-counted",
    defect: "a retrieve that only counts uses a counter that includes expired entries",
    check: "ttl/not-counted",
    names: /total of a retrieve with limit 0, 1 s after one of two entries has expired/,
    createPlugin: () => seeingEnded((request) => isRetrieve(request) && request.limit === 0),
  }),
  pluginMutant({
    id: "ttl-filtered-after-the-limit",
    defect: "expired entries are removed from a page after the limit",
    check: "ttl/ends-before-the-limit",
    names: /entries with limit 2 of 3 live ones/,
    createPlugin: () =>
      new (class extends HidingPlugin {
        protected override isLive(row: Row, request: Request): boolean {
          return isRetrieve(request) || super.isLive(row, request);
        }

        protected override page(found: readonly Found[], request: PluginRetrieveRequest) {
          const isOver = (one: Found) => this.isOver(one.row);
          const page = super.page(found, request);
          const ended = new Set(found.filter(isOver).map(({ row }) => row.key_hash));
          const entries = page.entries.filter(({ key_hash }) => !ended.has(key_hash));
          return { ...page, entries, total: page.total - ended.size };
        }
      })(),
  }),
  pluginMutant({
    id: "ttl-ended-are-forgotten",
    defect: "a forget deletes and counts expired entries",
    check: "ttl/not-forgotten-twice",
    names: /deleted of a forget that names a live and an expired entry/,
    createPlugin: () =>
      seeingEnded((request) => !isRetrieve(request) && !(request as { dry_run?: boolean }).dry_run),
  }),
];

const ruleMutants: readonly Mutant[] = [
  pluginMutant({
    id: "ttl-ended-are-updated",
    defect: "a store finds the expired entry of its key, and updates it",
    check: "ttl/store-after-the-end-creates",
    names: /outcome of a store over an expired entry/,
    createPlugin: () =>
      new (class extends HidingPlugin {
        protected override previous(...[partition, item]: Parameters<ReferencePlugin["previous"]>) {
          return partition.rows.get(this.rowKey(item));
        }

        protected override refusal(...[item, previous]: Parameters<ReferencePlugin["refusal"]>) {
          return super.refusal(item, previous && this.isOver(previous) ? undefined : previous);
        }
      })(),
  }),
  pluginMutant({
    id: "ttl-ended-in-compare-and-set",
    defect: "`if_revision` is compared with the revision of an expired entry",
    check: "ttl/compare-and-set-after-the-end",
    names: /with the `if_revision` of an expired entry/,
    createPlugin: () =>
      new (class extends HidingPlugin {
        #partition: Partition | undefined;

        protected override previous(...[partition, item]: Parameters<ReferencePlugin["previous"]>) {
          this.#partition = partition;
          return super.previous(partition, item);
        }

        protected override refusal(...[item, previous]: Parameters<ReferencePlugin["refusal"]>) {
          return super.refusal(item, previous ?? this.#partition?.rows.get(this.rowKey(item)));
        }
      })(),
  }),
  pluginMutant({
    id: "ttl-null-ends-at-once",
    defect: "an absent expiry counts as an expiry after 0 seconds",
    check: "ttl/none-means-no-end",
    names: /entries 2 s after stores with ttl null, 0, none/,
    createPlugin: () =>
      new (class extends HidingPlugin {
        protected override isOver({ expires_at, updated }: Row): boolean {
          return (expires_at ?? updated) <= this.now();
        }
      })(),
  }),
  hostMutant({
    id: "ttl-over-expires-at",
    defect: "`expires_at` is ignored if there is a ttl",
    check: "ttl/expires-at-is-stronger",
    names: /one with ttl 3600 and `expires_at` in 1 s/,
    bus: readingEntries((entry) => (entry.ttl ? without(entry, "expires_at") : entry)),
  }),
  pluginMutant({
    id: "ttl-prolonged-by-reading",
    defect: "a read restarts the ttl of an entry",
    check: "ttl/reading-does-not-prolong",
    names: /keys left 1.5 s after a store with ttl 1/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override touch(row: Row): void {
          super.touch(row);
          if (row.ttl !== null) Object.assign(row, { expires_at: this.now() + row.ttl });
        }
      })(),
  }),
  pluginMutant({
    id: "ttl-by-machine-clock",
    defect: "expiry uses the machine's clock",
    check: "ttl/time-is-the-given-clock",
    names: /entries 1.5 hours of the injected clock/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override isOver({ expires_at }: Row): boolean {
          return expires_at !== undefined && expires_at <= systemClock.now();
        }
      })(),
  }),
  pluginMutant({
    id: "ttl-a-year-at-most",
    defect: "an entry without expiry is dropped after a year",
    check: "ttl/a-durable-entry-has-no-hidden-end",
    names: /keys 400 days after a store without ttl/,
    tier: "episodic",
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override isOver({ expires_at, updated }: Row): boolean {
          return (expires_at ?? updated + 365 * 86_400) <= this.now();
        }
      })(),
  }),
];

export const ttlMutants: readonly Mutant[] = [...pathMutants, ...ruleMutants];
