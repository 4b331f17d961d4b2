import type { Clock } from "@membus/protocol";
import type { HeldBook } from "./held-quotas.js";
import { type Holding, type HoldingChange, TenantHoldings } from "./tenant-holdings.js";

/** Usage of a stored entry. */
export interface StoredHolding extends Holding {
  readonly scope: string;
}

/**
 * Reads all entries that a tenant has when it calls `begin`, and passes them on in any order. Later changes
 * are reported to `UsageTracker` separately.
 */
export type ReadHoldings = (tenant: string, begin: () => (stored: StoredHolding) => void) => Promise<void>;

interface Counted {
  readonly ready: Promise<TenantHoldings>;
  /** Set once counting has started. */
  holdings?: TenantHoldings;
}

/**
 * Tracks the usage of tenants with quotas. The usage of a tenant is read from storage at its first store and
 * updated with every change after that. It is not persisted, so a crash cannot make it wrong.
 */
export class Holdings {
  readonly #tenants = new Map<string, Counted>();
  readonly #book: HeldBook;
  readonly #clock: Clock;
  readonly #read: ReadHoldings;
  /** Number of entries refused because of a quota. */
  refusalCount = 0;

  constructor(book: HeldBook, clock: Clock, read: ReadHoldings) {
    this.#book = book;
    this.#clock = clock;
    this.#read = read;
  }

  /** Returns the usage of a tenant, or undefined if no quota applies to it. */
  async of(tenant: string): Promise<TenantHoldings | undefined> {
    if (!this.#book.appliesTo(tenant)) return undefined;
    return (this.#tenants.get(tenant) ?? this.#count(tenant)).ready;
  }

  /** Applies a change if the tenant is tracked. */
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

  /** Starts to count a tenant. After a failure, the next store reads again. */
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
