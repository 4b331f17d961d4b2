import type { Operation } from "@membus/protocol/plugin";
import { readingEntries } from "../hosts/rewrite-entries.js";
import { hostMutant, type Mutant, pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";
import { merging, returning } from "../reference/with-rule.js";

type Request = Parameters<ReferencePlugin["isLive"]>[1];

/** The reference plugin that only hides expired entries until maintenance. */
class LazyPlugin extends ReferencePlugin {
  protected override sweep(): void {}

  override async maintain(): Promise<void> {
    super.sweep();
  }
}

/** The reference plugin with another rule for the end of an entry. */
function ending(isOver: (row: Row, now: number, sound: boolean) => boolean): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override isOver(row: Row): boolean {
        return isOver(row, this.now(), super.isOver(row));
      }
    })();
}

/** The longest delay of a timer in Node.js. A longer one ends at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;
const SOON_S = 60;

const ends: readonly Mutant[] = [
  pluginMutant({
    id: "ttl-ends-after-its-second",
    defect: "an entry is returned until the second of its end is over",
    check: "ttl/ends-at-its-very-time",
    names: /ids of a retrieve, at the very end of a life of/,
    createPlugin: ending(({ expires_at }, now) => expires_at !== undefined && expires_at < now),
  }),
  pluginMutant({
    id: "ttl-ends-with-its-second",
    defect: "ends are rounded down to whole seconds if an entry lives for more than a minute",
    check: "ttl/ends-at-its-very-time",
    names: /a millisecond before the end of a life of 3600.5 s/,
    createPlugin: ending(
      ({ expires_at, ttl }, now, sound) => sound || ((ttl ?? 0) > 60 && Math.floor(expires_at!) <= now),
    ),
  }),
  pluginMutant({
    id: "ttl-counts-by-a-coarse-clock",
    defect: "a request that only counts compares the ends with a clock that advances every tenth of a second",
    check: "ttl/ends-at-its-very-time",
    names: /total of a retrieve with limit 0, at the very end/,
    createPlugin: () =>
      new (class extends LazyPlugin {
        protected override isLive(row: Row, request: Request): boolean {
          const isCount = "limit" in request && request.limit === 0;
          if (!isCount) return super.isLive(row, request);
          return row.expires_at === undefined || row.expires_at > Math.floor(this.now() * 10 - 0.5) / 10;
        }
      })(),
  }),
  pluginMutant({
    id: "ttl-key-is-free-later",
    defect: "a store finds the former entry of its key until the moment of its end has passed",
    check: "ttl/key-is-free-at-the-very-end",
    names: /outcome of a store over an entry at the very end of it/,
    createPlugin: () =>
      new (class extends LazyPlugin {
        protected override previous(...[partition, item]: Parameters<ReferencePlugin["previous"]>) {
          const row = partition.rows.get(this.rowKey(item));
          return row?.expires_at === this.now() ? row : super.previous(partition, item);
        }
      })(),
  }),
  pluginMutant({
    id: "ttl-end-that-is-now-is-ignored",
    defect: "an update with an `expires_at` that is not in the future keeps the former end",
    check: "ttl/key-is-free-at-the-very-end",
    names: /entries of the updated key after a store of a new entry/,
    createPlugin: merging(({ expires_at }, previous, { acceptedAt }) =>
      previous !== undefined && expires_at === acceptedAt
        ? { ttl: null, expires_at: previous.expires_at }
        : {},
    ),
  }),
  hostMutant({
    id: "ttl-lives-a-second-at-least",
    defect: "a ttl below a second counts as a second",
    check: "ttl/fractions-count",
    names: /entries left 0.6 s after stores with ttl 0.001/,
    bus: readingEntries((entry) => {
      const ttl = Number(entry.ttl ?? 0);
      return ttl > 0 && ttl < 1 ? { ...entry, ttl: 1 } : entry;
    }),
  }),
  pluginMutant({
    id: "ttl-returned-in-whole-seconds",
    defect: "a returned ttl of a few minutes has no fraction, although the entry ends at the right time",
    check: "ttl/fractions-count",
    names: /ttl of an entry stored with ttl 60.25/,
    createPlugin: returning(({ ttl }) =>
      ttl === null || ttl < 1 || ttl > 900 ? {} : { ttl: Math.round(ttl) },
    ),
  }),
  pluginMutant({
    id: "ttl-timer-overflows",
    defect: "a timer ends each entry, and a life of more than 24.8 days overflows it",
    check: "ttl/long-lives-last",
    names: /ids right after a store of entries with lives of 25 days/,
    createPlugin: ending(({ ttl }, _, sound) => sound || (ttl ?? 0) * 1_000 > TIMER_MS_MAX),
  }),
  pluginMutant({
    id: "ttl-lasts-a-century-at-most",
    defect: "a ttl of more than a century is cut to a century",
    check: "ttl/long-lives-last",
    names: /ttl of an entry stored with ttl (4294967296.5|10000000000)/,
    createPlugin: merging(({ ttl, expires_at }, _, { acceptedAt }) => {
      const century = 100 * 365 * 86_400;
      return ttl === null || ttl <= century || expires_at! >= 1e11
        ? {}
        : { ttl: century, expires_at: acceptedAt + century };
    }),
  }),
  pluginMutant({
    id: "ttl-of-decades-is-none",
    defect: "an entry with a life of more than 2^31 seconds never expires",
    check: "ttl/long-lives-end-in-their-turn",
    names: /ids at the end of an entry with ttl 2147483648/,
    tier: "episodic",
    createPlugin: ending(({ ttl }, _, sound) => sound && (ttl ?? 0) < 2 ** 31),
  }),
];

const changed: readonly Mutant[] = [
  pluginMutant({
    id: "ttl-timer-of-a-former-revision",
    defect: "the timer of a former revision ends the entry",
    check: "ttl/former-end-ends-nothing",
    names: /ids left after 10 s/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        readonly #timers = new Map<string, number>();

        protected override merge(...[item, previous, context]: Parameters<ReferencePlugin["merge"]>): Row {
          const row = super.merge(item, previous, context);
          const isLater = row.content === previous?.content && this.#timers.has(row.key_hash);
          if (row.expires_at !== undefined && !isLater) this.#timers.set(row.key_hash, row.expires_at);
          return row;
        }

        protected override isOver(row: Row): boolean {
          const end = this.#timers.get(row.key_hash);
          // A timer that fires late finds the entry of a later store.
          return super.isOver(row) || (end !== undefined && end <= this.now() && end > this.now() - 0.1);
        }
      })(),
  }),
  pluginMutant({
    id: "ttl-starts-again-with-a-retry",
    defect: "a repeated store gets its first result, and its ttl starts again",
    check: "ttl/former-end-ends-nothing",
    names: /ids left after 10 s/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override async once<Result>(op: Operation, work: () => Promise<Result>): Promise<Result> {
          const isRepeated = this.operations.has(this.operationKey(op));
          const result = await super.once(op, work);
          const { receipts = [] } = result as {
            readonly receipts?: readonly { readonly key_hash: string }[];
          };
          for (const { key_hash } of isRepeated ? receipts : []) this.#renew(key_hash);
          return result;
        }

        #renew(keyHash: string): void {
          const partitions = [...this.partitions.values()];
          const row = partitions.map(({ rows }) => rows.get(keyHash)).find((one) => one !== undefined);
          if (row?.ttl) Object.assign(row, { expires_at: this.now() + row.ttl });
        }
      })(),
  }),
  pluginMutant({
    id: "ttl-of-a-refused-store-counts",
    defect: "a store that `if_revision` refuses still sets the end of the entry",
    check: "ttl/former-end-ends-nothing",
    names: /ids left after 10 s/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        protected override refusal(...[item, previous]: Parameters<ReferencePlugin["refusal"]>) {
          const error = super.refusal(item, previous);
          const end = item.expires_at ?? undefined;
          if (error && previous && end !== undefined) Object.assign(previous, { expires_at: end });
          return error;
        }
      })(),
  }),
  pluginMutant({
    id: "ttl-maintenance-of-used-partitions",
    defect: "maintenance only cleans partitions that were used since the last time",
    check: "ttl/maintenance-removes-ended-entries-alone",
    names: /entries that maintenance reports at the end of a ttl of 100 s/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        #wasUsed = false;

        override onRetrieve(...asked: Parameters<ReferencePlugin["onRetrieve"]>) {
          this.#wasUsed = true;
          return super.onRetrieve(...asked);
        }

        override async maintain(): Promise<void> {
          if (this.#wasUsed) await super.maintain();
          this.#wasUsed = false;
        }
      })(),
  }),
  pluginMutant({
    id: "ttl-maintenance-looks-ahead",
    defect: "maintenance also removes entries that end within a minute",
    check: "ttl/maintenance-removes-ended-entries-alone",
    names: /maintenance a millisecond before the end of a ttl of 100 s/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override async maintain(): Promise<void> {
          const rows = [...this.partitions.values()].flatMap((partition) => [...partition.rows.values()]);
          const isSoon = ({ expires_at, ttl }: Row) =>
            (ttl ?? 0) > SOON_S && (expires_at ?? Number.POSITIVE_INFINITY) < this.now() + SOON_S;
          for (const row of rows) if (isSoon(row)) this.drop(row, "expired", row.author);
          return super.maintain();
        }
      })(),
  }),
  pluginMutant({
    id: "ttl-maintenance-rewrites-what-is-left",
    defect: "maintenance copies the entries of a partition with expired ones, as if they were updated",
    check: "ttl/maintenance-removes-ended-entries-alone",
    names: /the entries left after that, unchanged/,
    createPlugin: () =>
      new (class extends ReferencePlugin {
        override async maintain(): Promise<void> {
          const hasEnded = [...this.partitions.values()].filter(({ rows }) =>
            [...rows.values()].some((row) => this.isOver(row)),
          );
          await super.maintain();
          for (const { rows } of hasEnded) {
            for (const row of rows.values()) Object.assign(row, { updated: this.now() });
          }
        }
      })(),
  }),
];

export const ttlEdgeMutants: readonly Mutant[] = [...ends, ...changed];
