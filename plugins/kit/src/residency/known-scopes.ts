import { parseScopeId, type Scope, scopeId } from "@membus/protocol";

/** Every scope that may hold rows: asking storage for them takes long, and requests for subtrees come often. */
export class KnownScopes {
  readonly #scopes = new Map<string, Scope>();
  readonly #read: () => Promise<Iterable<Scope>>;
  #reading: Promise<void> | undefined;

  constructor(read: () => Promise<Iterable<Scope>>) {
    this.#read = read;
  }

  /** A scope that has got rows. */
  add(id: string): void {
    if (!this.#scopes.has(id)) this.#scopes.set(id, parseScopeId(id));
  }

  async all(): Promise<Iterable<Scope>> {
    this.#reading ??= this.#readStored();
    await this.#reading;
    return this.#scopes.values();
  }

  /** Some scopes may have lost their last row: asks again at the next call, which must find these without asking. */
  refresh(unstored: Iterable<string>): void {
    this.#reading = undefined;
    this.#scopes.clear();
    for (const id of unstored) this.add(id);
  }

  async #readStored(): Promise<void> {
    try {
      for (const scope of await this.#read()) this.#scopes.set(scopeId(scope), scope);
    } catch (error) {
      this.#reading = undefined;
      throw error;
    }
  }
}
