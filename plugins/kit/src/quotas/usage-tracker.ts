import type { Clock } from "@membus/protocol";
import type { StorageQuotas } from "./storage-quotas.js";
import { type EntryUsage, TenantUsage, type UsageChange } from "./tenant-usage.js";

/** Usage of a stored entry. */
export interface StoredUsage extends EntryUsage {
  readonly scope: string;
}

/**
 * Reads all entries that a tenant has when it calls `begin`, and passes them on in any order. Later changes
 * are reported to `UsageTracker` separately.
 */
export type ReadUsage = (tenant: string, begin: () => (stored: StoredUsage) => void) => Promise<void>;

interface CountedTenant {
  readonly ready: Promise<TenantUsage>;
  /** Set once counting has started. */
  usage?: TenantUsage;
}

/**
 * Tracks the usage of tenants with quotas. The usage of a tenant is read from storage at its first store and
 * updated with every change after that. It is not persisted, so a crash cannot make it wrong.
 */
export class UsageTracker {
  readonly #tenants = new Map<string, CountedTenant>();
  readonly #book: StorageQuotas;
  readonly #clock: Clock;
  readonly #read: ReadUsage;
  /** Number of entries refused because of a quota. */
  refusalCount = 0;

  constructor(book: StorageQuotas, clock: Clock, read: ReadUsage) {
    this.#book = book;
    this.#clock = clock;
    this.#read = read;
  }

  /** Returns the usage of a tenant, or undefined if no quota applies to it. */
  async of(tenant: string): Promise<TenantUsage | undefined> {
    if (!this.#book.appliesTo(tenant)) return undefined;
    return (this.#tenants.get(tenant) ?? this.#count(tenant)).ready;
  }

  /** Applies a change if the tenant is tracked. */
  changed(tenant: string, change: () => UsageChange): void {
    this.#tenants.get(tenant)?.usage?.change(change());
  }

  get stats(): Readonly<Record<string, number>> {
    const sum = { entries: 0, bytes: 0, namespaces: 0 };
    for (const { usage } of this.#tenants.values()) {
      if (usage === undefined) continue;
      const { entries, bytes, namespaces } = usage.all;
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
  #count(tenant: string): CountedTenant {
    const read = async (): Promise<TenantUsage> => {
      try {
        await this.#read(tenant, () => {
          const usage = new TenantUsage(tenant, this.#book, this.#clock.now());
          counted.usage = usage;
          return ({ scope, ...next }) => usage.change({ scope, next });
        });
        return counted.usage!;
      } catch (error) {
        this.#tenants.delete(tenant);
        throw error;
      }
    };
    const counted: CountedTenant = { ready: Promise.resolve().then(read) };
    this.#tenants.set(tenant, counted);
    return counted;
  }
}
