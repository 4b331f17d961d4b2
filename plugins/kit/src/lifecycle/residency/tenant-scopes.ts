import { type Scope, scopeId } from "@membus/protocol";

/**
 * Every scope of one tenant that may hold rows: asking storage for them takes long, and requests for subtrees come often.
 * A scope that is surely not among them need not be looked for either.
 */
export class TenantScopes {
  #scopes = new Map<string, Scope>();
  /** Those that have got rows since `refresh`, which storage may not tell of. */
  readonly #latest = new Map<string, Scope>();
  /** Whether no other scope holds rows. */
  #isComplete = false;
  readonly #read: () => Promise<Iterable<Scope>>;
  #reading: Promise<void> | undefined;
  #refreshCount = 0;
  #readsUnderWay = 0;

  constructor(read: () => Promise<Iterable<Scope>>) {
    this.#read = read;
  }

  /** A scope that has got rows. */
  add(id: string, scope: Scope): void {
    this.#latest.set(id, scope);
    this.#scopes.set(id, scope);
  }

  get count(): number {
    return this.#scopes.size;
  }

  /** Whether storage is being asked. */
  get isRead(): boolean {
    return this.#readsUnderWay > 0;
  }

  /** Whether it holds on to nothing that asking storage would not tell as well. */
  get isEmpty(): boolean {
    return this.#scopes.size === 0 && !this.isRead;
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

  /** Some scopes may have lost their last row: asks again at the next call. What is in storage by then is not `add`ed. */
  refresh(): void {
    this.#reading = undefined;
    this.#refreshCount++;
    this.#latest.clear();
  }

  async #readStored(): Promise<void> {
    const refreshCount = this.#refreshCount;
    const isStill = () => refreshCount === this.#refreshCount;
    this.#readsUnderWay++;
    try {
      const stored = [...(await this.#read())].map((scope) => [scopeId(scope), scope] as const);
      // Some may have got their rows since they were read, and after another `refresh` be no latest any more.
      const others = isStill() ? this.#latest : this.#scopes;
      this.#scopes = new Map([...stored, ...others]);
      this.#isComplete = true;
    } catch (error) {
      if (isStill()) this.#reading = undefined;
      throw error;
    } finally {
      this.#readsUnderWay--;
    }
  }
}
