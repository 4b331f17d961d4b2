import type { Clock } from "@membus/protocol";
import type { HeldBook } from "./held-quotas.js";
import { type Holding, type HoldingChange, TenantHoldings } from "./tenant-holdings.js";

/** An entry that is stored. */
export interface StoredHolding extends Holding {
  readonly scope: string;
}

/**
 * Passes on all entries that a tenant has when it calls `begin`, in any order; what comes or goes from then on is told to
 * `Holdings` besides.
 */
export type ReadHoldings = (tenant: string, begin: () => (stored: StoredHolding) => void) => Promise<void>;

interface Counted {
  readonly ready: Promise<TenantHoldings>;
  /** Once it has begun to be counted. */
  holdings?: TenantHoldings;
}

/**
 * What tenants that have quotas hold. It is read when something of a tenant is stored for the first time, and told of every
 * change from then on: nothing of it is kept on disk, so nothing can be wrong after a crash.
 */
export class Holdings {
  readonly #tenants = new Map<string, Counted>();
  readonly #book: HeldBook;
  readonly #clock: Clock;
  readonly #read: ReadHoldings;
  /** Entries that there was no room for. */
  refusalCount = 0;

  constructor(book: HeldBook, clock: Clock, read: ReadHoldings) {
    this.#book = book;
    this.#clock = clock;
    this.#read = read;
  }

  /** Undefined for a tenant that no quota applies to. */
  async of(tenant: string): Promise<TenantHoldings | undefined> {
    if (!this.#book.appliesTo(tenant)) return undefined;
    return (this.#tenants.get(tenant) ?? this.#count(tenant)).ready;
  }

  /** Takes note of a change, where they are counted. */
  changed(tenant: string, change: () => HoldingChange): void {
    this.#tenants.get(tenant)?.holdings?.change(change());
  }

  get stats(): Readonly<Record<string, number>> {
    const sum = { entries: 0, bytes: 0, namespaces: 0 };
    for (const { holdings } of this.#tenants.values()) {
      if (holdings === undefined) continue;
      const { entries, bytes, namespaces } = holdings.all;
      sum.entries += entries;
      sum.bytes += bytes;
      sum.namespaces += namespaces;
    }
    return {
      quota_tenants: this.#tenants.size,
      quota_entries: sum.entries,
      quota_bytes: sum.bytes,
      quota_namespaces: sum.namespaces,
      refused_by_quota: this.refusalCount,
    };
  }

  /** What could not be read is read again for the next store. */
  #count(tenant: string): Counted {
    const read = async (): Promise<TenantHoldings> => {
      try {
        await this.#read(tenant, () => {
          const holdings = new TenantHoldings(tenant, this.#book, this.#clock.now());
          counted.holdings = holdings;
          return ({ scope, ...next }) => holdings.change({ scope, next });
        });
        return counted.holdings!;
      } catch (error) {
        this.#tenants.delete(tenant);
        throw error;
      }
    };
    const counted: Counted = { ready: Promise.resolve().then(read) };
    this.#tenants.set(tenant, counted);
    return counted;
  }
}
