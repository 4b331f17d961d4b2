import {
  type Filter,
  type FilterableEntry,
  matches,
  type Scope,
  type ScopeSelector,
  scopeId,
  selectsScope,
} from "@membus/protocol";

interface RecentForget {
  readonly order: number;
  readonly selector: ScopeSelector;
  readonly filter: Filter;
  /** Scopes up to this id are not affected. "" if all are. */
  readonly through: string;
}

/** A running forget with `cascade`. */
export interface RunningCascade {
  readonly order: number;
  /** Scope ids and revisions of versions that later stores wrote or found unchanged. */
  readonly later: Set<string>;
}

export function isLater(
  { later }: RunningCascade,
  version: { readonly loaded: { readonly id: string }; readonly revision: number },
): boolean {
  return later.has(versionId(version.loaded.id, version.revision));
}

function versionId(scope: string, revision: number): string {
  return `${scope} ${revision}`;
}

/**
 * Tracks the order in which stores and forgets were accepted. A store may wait for its embedder while a later
 * forget runs. An entry that this forget would have removed must not be stored after it (clause FORGET-6).
 */
export class ForgetOrder {
  #accepted = 0;
  readonly #openStores = new Set<number>();
  #forgets: RecentForget[] = [];
  readonly #cascades = new Map<RunningCascade, () => void>();

  /** Registers a store and returns its place in the order, to be passed to `storeEnded`. */
  storeStarted(): number {
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

  /** `through`: scopes up to this id are not affected, because an earlier attempt did them. */
  forgetStarted(selector: ScopeSelector, filter: Filter, through = ""): void {
    if (this.#openStores.size > 0) this.#forgets.push({ order: ++this.#accepted, selector, filter, through });
  }

  /**
   * Registers a forget with `cascade`. Resolves once all earlier stores have ended, so that entries they
   * derive from forgotten ones are forgotten too.
   */
  async cascadeStarted(): Promise<RunningCascade> {
    const turn = { order: ++this.#accepted, later: new Set<string>() };
    await new Promise<void>((begin) => {
      this.#cascades.set(turn, begin);
      if (!this.#isStoreOpenBefore(turn)) begin();
    });
    return turn;
  }

  cascadeEnded(turn: RunningCascade): void {
    this.#cascades.delete(turn);
  }

  /**
   * Records a version that a store writes or finds unchanged. Earlier forgets with `cascade` do not remove
   * it.
   */
  stored(storeOrder: number, scope: string, revision: number): void {
    for (const { order, later } of this.#cascades.keys()) {
      if (storeOrder > order) later.add(versionId(scope, revision));
    }
  }

  #isStoreOpenBefore({ order }: RunningCascade): boolean {
    const [oldest] = this.#openStores;
    return oldest !== undefined && oldest < order;
  }

  /** Returns whether a forget after the store removes this entry. */
  forgotten(storeOrder: number, scope: Scope, entry: () => FilterableEntry): boolean {
    return this.#forgets.some(
      ({ order, selector, filter, through }) =>
        order > storeOrder &&
        selectsScope(selector, scope) &&
        scopeId(scope) > through &&
        matches(entry(), filter),
    );
  }
}
