import { type Scope, scopeId } from "@membus/protocol";

/**
 * The scopes of one tenant that may have rows. They are cached because reading them takes long and subtree
 * requests are common. Scopes that are certainly absent need not be loaded.
 */
export class TenantScopes {
  #scopes = new Map<string, Scope>();
  /** Scopes added since `refresh`, which a running read of storage may miss. */
  readonly #latest = new Map<string, Scope>();
  /** Whether no other scope has rows. */
  #isComplete = false;
  readonly #read: () => Promise<Iterable<Scope>>;
  #reading: Promise<void> | undefined;
  #refreshCount = 0;
  #runningReads = 0;

  constructor(read: () => Promise<Iterable<Scope>>) {
    this.#read = read;
  }

  /** Adds a scope that has rows now. */
  add(id: string, scope: Scope): void {
    this.#latest.set(id, scope);
    this.#scopes.set(id, scope);
  }

  get count(): number {
    return this.#scopes.size;
  }

  /** Whether storage is being read. */
  get isReading(): boolean {
    return this.#runningReads > 0;
  }

  /** Whether it contains nothing that storage does not know. */
  get isEmpty(): boolean {
    return this.#scopes.size === 0 && !this.isReading;
  }

  /** Returns false if a scope certainly has no rows. */
  mayHaveRows(id: string): boolean {
    return !this.#isComplete || this.#scopes.has(id);
  }

  /** Reads the scopes in the background, unless all are known. */
  readInBackground(): void {
    if (!this.#isComplete) void this.all().catch(() => undefined);
  }

  async all(): Promise<Iterable<Scope>> {
    this.#reading ??= this.#readStored();
    await this.#reading;
    return this.#scopes.values();
  }

  /**
   * Makes the next call read the scopes again, because some may have lost their last row. Scopes that are in
   * storage by then are not `add`ed again.
   */
  refresh(): void {
    this.#reading = undefined;
    this.#refreshCount++;
    this.#latest.clear();
  }

  async #readStored(): Promise<void> {
    const refreshCount = this.#refreshCount;
    const isStill = () => refreshCount === this.#refreshCount;
    this.#runningReads++;
    try {
      const stored = [...(await this.#read())].map((scope) => [scopeId(scope), scope] as const);
      // Scopes may have been added since the read, and another `refresh` may have cleared the list of new
      // ones.
      const others = isStill() ? this.#latest : this.#scopes;
      this.#scopes = new Map([...stored, ...others]);
      this.#isComplete = true;
    } catch (error) {
      if (isStill()) this.#reading = undefined;
      throw error;
    } finally {
      this.#runningReads--;
    }
  }
}
