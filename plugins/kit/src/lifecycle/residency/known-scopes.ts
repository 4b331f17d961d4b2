import { parseScopeId, type Scope, scopeId } from "@membus/protocol";

export interface StoredScopes {
  readonly scopes: readonly Scope[];
  /** False while those of some tenants cannot be read. */
  readonly isComplete: boolean;
}

/**
 * Every scope that may hold rows: asking storage for them takes long, and requests for subtrees come often. A scope that
 * is surely not among them need not be looked for either.
 */
export class KnownScopes {
  #scopes = new Map<string, Scope>();
  /** Those that have got rows since `refresh`, which storage may not tell of. */
  readonly #latest = new Map<string, Scope>();
  /** Whether no other scope holds rows. */
  #isComplete = false;
  readonly #read: () => Promise<StoredScopes>;
  #reading: Promise<void> | undefined;
  #refreshCount = 0;

  constructor(read: () => Promise<StoredScopes>) {
    this.#read = read;
  }

  /** A scope that has got rows. */
  add(id: string): void {
    if (this.#latest.has(id)) return;
    const scope = parseScopeId(id);
    this.#latest.set(id, scope);
    this.#scopes.set(id, scope);
  }

  /** False for a scope that surely holds nothing. */
  mayHold(id: string): boolean {
    return !this.#isComplete || this.#scopes.has(id);
  }

  /** Asks storage in the background, unless all are known. */
  learn(): void {
    if (!this.#isComplete) void this.all().catch(() => undefined);
  }

  async all(): Promise<Iterable<Scope>> {
    this.#reading ??= this.#readStored();
    await this.#reading;
    return this.#scopes.values();
  }

  /** Some scopes may have lost their last row: asks again at the next call, which must find these without asking. */
  refresh(unstored: Iterable<string>): void {
    this.#reading = undefined;
    this.#refreshCount++;
    this.#latest.clear();
    for (const id of unstored) this.add(id);
  }

  async #readStored(): Promise<void> {
    const refreshCount = this.#refreshCount;
    const isStill = () => refreshCount === this.#refreshCount;
    try {
      const { scopes, isComplete } = await this.#read();
      const stored = scopes.map((scope) => [scopeId(scope), scope] as const);
      // Some may have got their rows since they were read, and after another `refresh` be no latest any more.
      const others = isStill() ? this.#latest : this.#scopes;
      this.#scopes = new Map([...stored, ...others]);
      this.#isComplete = isComplete;
    } catch (error) {
      if (isStill()) this.#reading = undefined;
      throw error;
    }
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

  /** The oldest first. */
  get ids(): readonly string[] {
    return [...this.#ids];
  }
}
