import { parseScopeId, type Scope } from "@membus/protocol";
import { TenantScopes } from "./tenant-scopes.js";

/**
 * Tracks which scopes may have rows, separately per tenant, so that a tenant never waits for the scopes of
 * another. Above the limit the least recently used tenants are dropped until they are requested again.
 */
export class KnownScopes {
  /** In order of use. */
  readonly #tenants = new Map<string, TenantScopes>();
  readonly #read: (tenant: string) => Promise<Iterable<Scope>>;
  /** Ids added since `refresh`, so that repeated stores need not parse them again. */
  readonly #latest = new Set<string>();

  /**
   * `read` returns the stored scopes of a tenant. `countMax` limits the scopes of all tenants that are kept
   * at `refresh`.
   */
  constructor(
    readonly countMax: number,
    read: (tenant: string) => Promise<Iterable<Scope>>,
  ) {
    this.#read = read;
  }

  get count(): number {
    let count = 0;
    for (const scopes of this.#tenants.values()) count += scopes.count;
    return count;
  }

  /** Adds a scope that has rows now. */
  add(id: string): void {
    if (this.#latest.has(id)) return;
    this.#latest.add(id);
    const scope = parseScopeId(id);
    this.#of(scope.tenant).add(id, scope);
  }

  /** Returns false if a scope certainly has no rows. */
  mayHaveRows(id: string): boolean {
    return this.#of(parseScopeId(id).tenant).mayHaveRows(id);
  }

  /** Reads the scopes of a scope's tenant in the background, unless all are known. */
  readInBackground(id: string): void {
    this.#of(parseScopeId(id).tenant).readInBackground();
  }

  all(tenant: string): Promise<Iterable<Scope>> {
    return this.#of(tenant).all();
  }

  /**
   * Makes the next call read the scopes again, because some may have lost their last row. `unstored` scopes
   * are not in storage yet and are kept.
   */
  refresh(unstored: Iterable<string>): void {
    this.#latest.clear();
    for (const [tenant, scopes] of this.#tenants) {
      scopes.refresh();
      if (scopes.isEmpty) this.#tenants.delete(tenant);
    }
    this.#dropTenants();
    for (const id of unstored) this.add(id);
  }

  /** Drops tenants above the limit. Storage knows their scopes too, because none is new. */
  #dropTenants(): void {
    let { count } = this;
    for (const [tenant, scopes] of this.#tenants) {
      if (count <= this.countMax) return;
      if (scopes.isReading) continue;
      count -= scopes.count;
      this.#tenants.delete(tenant);
    }
  }

  #of(tenant: string): TenantScopes {
    const scopes = this.#tenants.get(tenant) ?? new TenantScopes(() => this.#read(tenant));
    this.#tenants.delete(tenant);
    this.#tenants.set(tenant, scopes);
    return scopes;
  }
}

/** The most recently written scopes, so that the next start can preload them. */
export class LatestScopes {
  /** The latest last. */
  readonly #ids = new Set<string>();

  constructor(readonly countMax: number) {}

  add(id: string): void {
    if (id === "") return;
    this.#ids.delete(id);
    this.#ids.add(id);
    if (this.#ids.size <= this.countMax) return;
    const [oldest] = this.#ids;
    this.#ids.delete(oldest!);
  }

  remove(isRemoved: (id: string) => boolean): void {
    for (const id of [...this.#ids]) if (isRemoved(id)) this.#ids.delete(id);
  }

  /** Ids, the oldest first. */
  get ids(): readonly string[] {
    return [...this.#ids];
  }
}
