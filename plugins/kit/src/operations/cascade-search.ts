import { type Filter, LIMITS, MemoryError, type Scope, type ScopeSelector } from "@membus/protocol";
import type { PluginForgetRequest } from "@membus/protocol/plugin";
import type { LoadedPartition } from "../lifecycle/index.js";
import type { RowFacets } from "../row.js";
import { Yielder } from "../yielder.js";
import { type ForgetMatch, findMatches, prepareFind } from "./forget-matches.js";
import { isLater, type RunningCascade } from "./forget-order.js";
import type { MutationParts } from "./tier.js";

/** A version to forget: at level 0 if the criteria select it, otherwise a derived one. */
export interface CascadeMatch extends ForgetMatch {
  readonly loaded: LoadedPartition;
  readonly level: number;
}

/** A version with a source that is forgotten. */
interface DerivedMatch extends ForgetMatch {
  readonly loaded: LoadedPartition;
  readonly sources: readonly string[];
}

/** Limit of the hashes in one query. */
const HASHES_PER_QUERY = 10_000;

/**
 * Finds the versions that a forget with `cascade` removes, level by level, over all partitions of its caller.
 * Partitions are loaded one at a time. Partitions with matches stay loaded until `end`, so that one record
 * can remove everything.
 */
export class CascadeSearch {
  readonly #tier: MutationParts;
  readonly #selector: ScopeSelector;
  readonly #request: PluginForgetRequest;
  readonly #turn: RunningCascade;
  readonly #kept = new Set<LoadedPartition>();
  /** By partition and key hash, like all keys below. */
  readonly #matches = new Map<string, CascadeMatch>();
  /** All versions that ever had a forgotten source, whether they are forgotten or not. */
  readonly #derived = new Set<string>();

  constructor(
    tier: MutationParts,
    selector: ScopeSelector,
    request: PluginForgetRequest,
    turn: RunningCascade,
  ) {
    this.#tier = tier;
    this.#selector = selector;
    this.#request = request;
    this.#turn = turn;
  }

  /** @throws {MemoryError} `too_large`. */
  async find(): Promise<readonly CascadeMatch[]> {
    const { registry } = this.#tier;
    let last = await this.#findSelected(await registry.select(this.#selector));
    const scopes = await registry.selectCaller(this.#selector);
    for (let level = 1; last.length > 0; level++) {
      const derived = await this.#findDerived(scopes, last);
      const there = await this.#existingSources(scopes, derived);
      last = derived
        .filter(({ keyHash, sources }) => !sources.some((hash) => hash !== keyHash && there.has(hash)))
        .map(({ sources: _, ...match }) => ({ ...match, level }));
      if (last.length > 0) checkLimit("cascadeLevels", level);
      for (const one of last) this.#matches.set(matchKey(one.loaded, one.keyHash), one);
    }
    return [...this.#matches.values()];
  }

  /** Allows the partitions to be unloaded. */
  end(): void {
    for (const loaded of this.#kept) this.#tier.registry.release(loaded);
  }

  async #findSelected(scopes: readonly Scope[]): Promise<CascadeMatch[]> {
    const selected: CascadeMatch[] = [];
    await this.#queryScopes(scopes, this.#request.filter, (loaded, found) => {
      for (const match of found) {
        const one = { ...match, loaded, level: 0 };
        if (isLater(this.#turn, one)) continue;
        selected.push(one);
        this.#keepLoaded(loaded);
      }
      checkLimit("cascadeSelected", selected.length);
    });
    for (const one of selected) this.#matches.set(matchKey(one.loaded, one.keyHash), one);
    return selected;
  }

  /** Returns the remaining versions that have a source of the last level. */
  async #findDerived(scopes: readonly Scope[], last: readonly CascadeMatch[]): Promise<DerivedMatch[]> {
    const hashes = [...new Set(last.map(({ keyHash }) => keyHash))];
    const named: Filter = { field: "sources", op: "in", value: hashes };
    const own: Filter = { field: "author", op: "eq", value: this.#request.op.agent };
    const filter = this.#selector.agent === undefined ? { all: [named, own] } : named;
    const derived: DerivedMatch[] = [];
    await this.#queryScopes(scopes, filter, (loaded, found) => {
      for (const match of found) {
        const place = matchKey(loaded, match.keyHash);
        const one = { ...match, loaded, sources: sourcesOf(loaded, match.keyHash) };
        if (this.#matches.has(place) || isLater(this.#turn, one)) continue;
        derived.push(one);
        this.#derived.add(place);
        this.#keepLoaded(loaded);
      }
      checkLimit("cascadeDerived", this.#derived.size);
    });
    return derived;
  }

  /** Returns the sources that still have an entry. */
  async #existingSources(
    scopes: readonly Scope[],
    derived: readonly DerivedMatch[],
  ): Promise<ReadonlySet<string>> {
    const there = new Set<string>();
    const hashes = [...new Set(derived.flatMap(({ sources }) => sources))];
    for (let at = 0; at < hashes.length; at += HASHES_PER_QUERY) {
      const value = hashes.slice(at, at + HASHES_PER_QUERY);
      await this.#queryScopes(scopes, { field: "key_hash", op: "in", value }, (loaded, found) => {
        for (const { keyHash } of found) {
          if (!this.#matches.has(matchKey(loaded, keyHash))) there.add(keyHash);
        }
      });
    }
    return there;
  }

  /** Queries one partition after the other. Nothing changes while `each` runs. */
  async #queryScopes(
    scopes: readonly Scope[],
    filter: Filter,
    each: (loaded: LoadedPartition, found: readonly ForgetMatch[]) => void,
  ): Promise<void> {
    const yielder = new Yielder();
    for (const scope of scopes) {
      await this.#tier.registry.use(scope, async (loaded) => {
        const prepared = await prepareFind(this.#tier, loaded, filter);
        each(loaded, findMatches(this.#tier, loaded, prepared));
      });
      await yielder.yieldIfDue();
    }
  }

  #keepLoaded(loaded: LoadedPartition): void {
    if (this.#kept.has(loaded)) return;
    this.#kept.add(loaded);
    this.#tier.registry.retain(loaded);
  }
}

function matchKey({ id }: LoadedPartition, keyHash: string): string {
  return `${id} ${keyHash}`;
}

function sourcesOf({ staged, partition }: LoadedPartition, keyHash: string): readonly string[] {
  const row = staged.get(keyHash)?.row;
  const facets = row ? (JSON.parse(row.facets) as RowFacets) : partition.facetsOf(partition.slotOf(keyHash)!);
  return facets.sources ?? [];
}

function checkLimit(limit: "cascadeSelected" | "cascadeDerived" | "cascadeLevels", got: number): void {
  const max = LIMITS[limit];
  if (got <= max) return;
  const message = `this forget with cascade affects too many entries: forget in smaller parts, or without cascade`;
  throw new MemoryError("too_large", message, { limit, max, got });
}
