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

/** A forget with `cascade` that is under way. */
export interface CascadeTurn {
  readonly order: number;
  /** What stores wrote, or found as it should be, that were accepted after it: scope ids and revisions. */
  readonly later: Set<string>;
}

export function isLater(
  { later }: CascadeTurn,
  version: { readonly resident: { readonly id: string }; readonly revision: number },
): boolean {
  return later.has(versionId(version.resident.id, version.revision));
}

function versionId(scope: string, revision: number): string {
  return `${scope} ${revision}`;
}

/**
 * The order in which stores and forgets were accepted. A store may wait for its embedder while a later forget
 * runs: what that forget would have taken must not come into being after it (clause FORGET-6).
 */
export class ForgetOrder {
  #accepted = 0;
  readonly #openStores = new Set<number>();
  #forgets: RecentForget[] = [];
  readonly #cascades = new Map<CascadeTurn, () => void>();

  /** A store begins; the number is its place in the order, to be given back to `storeEnded`. */
  storeBegan(): number {
    this.#openStores.add(++this.#accepted);
    return this.#accepted;
  }

  storeEnded(order: number): void {
    this.#openStores.delete(order);
    for (const [turn, begin] of this.#cascades) if (!this.#isStoreOpenBefore(turn)) begin();
    if (this.#forgets.length === 0) return;
    const [oldest] = this.#openStores;
    if (oldest === undefined) this.#forgets = [];
    else this.#forgets = this.#forgets.filter((forget) => forget.order > oldest);
  }

  forgetBegan(selector: ScopeSelector, filter: Filter): void {
    if (this.#openStores.size > 0) this.#forgets.push({ order: ++this.#accepted, selector, filter });
  }

  /**
   * A forget with `cascade` is accepted. It begins when the stores that were accepted before have ended: whatever they
   * derive from what it forgets is there then, and goes with it.
   */
  async cascadeBegan(): Promise<CascadeTurn> {
    const turn = { order: ++this.#accepted, later: new Set<string>() };
    await new Promise<void>((begin) => {
      this.#cascades.set(turn, begin);
      if (!this.#isStoreOpenBefore(turn)) begin();
    });
    return turn;
  }

  cascadeEnded(turn: CascadeTurn): void {
    this.#cascades.delete(turn);
  }

  /** A store writes a version, or needs not: forgets with `cascade` that were accepted earlier leave it. */
  stored(storeOrder: number, scope: string, revision: number): void {
    for (const { order, later } of this.#cascades.keys()) {
      if (storeOrder > order) later.add(versionId(scope, revision));
    }
  }

  #isStoreOpenBefore({ order }: CascadeTurn): boolean {
    const [oldest] = this.#openStores;
    return oldest !== undefined && oldest < order;
  }

  /** Whether a forget that came after the store takes this entry. */
  forgotten(storeOrder: number, scope: Scope, entry: () => FilterableEntry): boolean {
    return this.#forgets.some(
      ({ order, selector, filter }) =>
        order > storeOrder && selectsScope(selector, scope) && matches(entry(), filter),
    );
  }
}
