import type { QuotaUnit, StorageQuota } from "./storage-quotas.js";

const UNITS = ["entries", "bytes", "namespaces"] as const;

/** Usage of a tenant, or of one of its agents, against its quota. */
export class UsageCounter {
  entries = 0;
  bytes = 0;
  /** Entries by scope id. */
  readonly #scopes = new Map<string, number>();

  constructor(readonly quota: StorageQuota) {}

  get namespaces(): number {
    return this.#scopes.size;
  }

  get isEmpty(): boolean {
    return this.entries === 0 && this.bytes === 0 && this.namespaces === 0;
  }

  /** Counts an entry. `sign`: 1 for an added entry, -1 for a removed one. */
  count(scope: string, bytes: number, sign: 1 | -1): void {
    this.entries += sign;
    this.bytes += sign * bytes;
    const entries = (this.#scopes.get(scope) ?? 0) + sign;
    if (entries === 0) this.#scopes.delete(scope);
    else this.#scopes.set(scope, entries);
  }

  /**
   * Returns the first unit of the quota that an entry would exceed. `replacedBytes` is the size of the entry
   * that it replaces.
   */
  exceeded(scope: string, bytes: number, replacedBytes: number | undefined): QuotaUnit | undefined {
    const added = {
      entries: replacedBytes === undefined ? 1 : 0,
      bytes: bytes - (replacedBytes ?? 0),
      namespaces: this.#scopes.has(scope) ? 0 : 1,
    };
    return UNITS.find((unit) => {
      const max = this.quota[unit];
      return max !== undefined && added[unit] > 0 && this[unit] + added[unit] > max;
    });
  }
}
