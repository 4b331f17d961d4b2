import { parseScopeId, type Scope } from "@membus/protocol";
import { TenantScopes } from "./tenant-scopes.js";

/**
 * Which scopes may hold rows, each tenant's for itself: what one waits for depends on nothing that others have. Over the
 * bound tenants are left out of it that were asked for least recently, until they are asked for again.
 */
export class KnownScopes {
  /** In order of use. */
  readonly #tenants = new Map<string, TenantScopes>();
  readonly #read: (tenant: string) => Promise<Iterable<Scope>>;
  /** Those that were added since `refresh`: a store into one of them need not read its id again. */
  readonly #latest = new Set<string>();

  /** `read` asks storage for the scopes of a tenant. `countMax` bounds those that are kept at `refresh`, of all tenants. */
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

  /** A scope that has got rows. */
  add(id: string): void {
    if (this.#latest.has(id)) return;
    this.#latest.add(id);
    const scope = parseScopeId(id);
    this.#of(scope.tenant).add(id, scope);
  }

  /** False for a scope that surely holds nothing. */
  mayHold(id: string): boolean {
    return this.#of(parseScopeId(id).tenant).mayHold(id);
  }

  /** Asks storage in the background for those of the tenant of a scope, unless all are known. */
  learn(id: string): void {
    this.#of(parseScopeId(id).tenant).learn();
  }

  all(tenant: string): Promise<Iterable<Scope>> {
    return this.#of(tenant).all();
  }

  /** Some scopes may have lost their last row: asks again at the next call, which must find these without asking. */
  refresh(unstored: Iterable<string>): void {
    this.#latest.clear();
    for (const [tenant, scopes] of this.#tenants) {
      scopes.refresh();
      if (scopes.isEmpty) this.#tenants.delete(tenant);
    }
    this.#leaveOut();
    for (const id of unstored) this.add(id);
  }

  /** Storage knows them too, as nothing is latest now. */
  #leaveOut(): void {
    let { count } = this;
    for (const [tenant, scopes] of this.#tenants) {
      if (count <= this.countMax) return;
      if (scopes.isRead) continue;
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

/** The scopes that were written last, so that the next start can load them first. */
export class LatestScopes {
  /** The latest at the end. */
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

  /** The oldest first. */
  get ids(): readonly string[] {
    return [...this.#ids];
  }
}
