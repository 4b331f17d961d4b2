import {
  type Filter,
  type FilterableEntry,
  matches,
  type Scope,
  type ScopeSelector,
  selectsScope,
} from "@membus/protocol";

interface RecentForget {
  readonly order: number;
  readonly selector: ScopeSelector;
  readonly filter: Filter;
}

/**
 * The order in which stores and forgets were accepted. A store may wait for its embedder while a later forget
 * runs: what that forget would have taken must not come into being after it (clause FORGET-6).
 */
export class ForgetOrder {
  #accepted = 0;
  readonly #openStores = new Set<number>();
  #forgets: RecentForget[] = [];

  /** A store begins; the number is its place in the order, to be given back to `storeEnded`. */
  storeBegan(): number {
    this.#openStores.add(++this.#accepted);
    return this.#accepted;
  }

  storeEnded(order: number): void {
    this.#openStores.delete(order);
    if (this.#forgets.length === 0) return;
    const [oldest] = this.#openStores;
    if (oldest === undefined) this.#forgets = [];
    else this.#forgets = this.#forgets.filter((forget) => forget.order > oldest);
  }

  forgetBegan(selector: ScopeSelector, filter: Filter): void {
    if (this.#openStores.size > 0) this.#forgets.push({ order: ++this.#accepted, selector, filter });
  }

  /** Whether a forget that came after the store takes this entry. */
  forgotten(storeOrder: number, scope: Scope, entry: () => FilterableEntry): boolean {
    return this.#forgets.some(
      ({ order, selector, filter }) =>
        order > storeOrder && selectsScope(selector, scope) && matches(entry(), filter),
    );
  }
}
