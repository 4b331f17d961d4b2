import {
  type Filter,
  LIMITS,
  MemoryError,
  type PluginForgetRequest,
  type Scope,
  type ScopeSelector,
} from "@membus/protocol";
import type { Resident } from "../lifecycle/index.js";
import type { RowFacets } from "../row.js";
import { Yielder } from "../yielder.js";
import { type CascadeTurn, isLater } from "./forget-order.js";
import type { MutationParts } from "./tier.js";
import { findVictims, prepareFind, type Victim } from "./victims.js";

/** A version to forget: at level 0 if the criteria select it, otherwise a derived one. */
export interface Doomed extends Victim {
  readonly resident: Resident;
  readonly level: number;
}

/** A version with a source that is forgotten. */
interface Derived extends Victim {
  readonly resident: Resident;
  readonly sources: readonly string[];
}

/** Limit of the hashes in one query. */
const HASHES_A_LOOK = 10_000;

/**
 * Finds the versions that a forget with `cascade` removes, level by level, over all partitions of its caller.
 * Partitions are loaded one at a time. Partitions with matches stay loaded until `end`, so that one record
 * can remove everything.
 */
export class CascadeSearch {
  readonly #tier: MutationParts;
  readonly #selector: ScopeSelector;
  readonly #request: PluginForgetRequest;
  readonly #turn: CascadeTurn;
  readonly #kept = new Set<Resident>();
  /** By partition and key hash, like all keys below. */
  readonly #doomed = new Map<string, Doomed>();
  /** All versions that ever had a forgotten source, whether they are forgotten or not. */
  readonly #derived = new Set<string>();

  constructor(tier: MutationParts, selector: ScopeSelector, request: PluginForgetRequest, turn: CascadeTurn) {
    this.#tier = tier;
    this.#selector = selector;
    this.#request = request;
    this.#turn = turn;
  }

  /** @throws {MemoryError} `too_large`. */
  async find(): Promise<readonly Doomed[]> {
    const { registry } = this.#tier;
    let last = await this.#findSelected(await registry.select(this.#selector));
    const scopes = await registry.selectCaller(this.#selector);
    for (let level = 1; last.length > 0; level++) {
      const derived = await this.#findDerived(scopes, last);
      const there = await this.#sourcesThere(scopes, derived);
      last = derived
        .filter(({ keyHash, sources }) => !sources.some((hash) => hash !== keyHash && there.has(hash)))
        .map(({ sources: _, ...victim }) => ({ ...victim, level }));
      if (last.length > 0) bound("cascadeLevels", level);
      for (const one of last) this.#doomed.set(placeOf(one.resident, one.keyHash), one);
    }
    return [...this.#doomed.values()];
  }

  /** Allows the partitions to be unloaded. */
  end(): void {
    for (const resident of this.#kept) this.#tier.registry.letGo(resident);
  }

  async #findSelected(scopes: readonly Scope[]): Promise<Doomed[]> {
    const selected: Doomed[] = [];
    await this.#look(scopes, this.#request.filter, (resident, found) => {
      for (const victim of found) {
        const one = { ...victim, resident, level: 0 };
        if (isLater(this.#turn, one)) continue;
        selected.push(one);
        this.#keep(resident);
      }
      bound("cascadeSelected", selected.length);
    });
    for (const one of selected) this.#doomed.set(placeOf(one.resident, one.keyHash), one);
    return selected;
  }

  /** Returns the remaining versions that have a source of the last level. */
  async #findDerived(scopes: readonly Scope[], last: readonly Doomed[]): Promise<Derived[]> {
    const hashes = [...new Set(last.map(({ keyHash }) => keyHash))];
    const named: Filter = { field: "sources", op: "in", value: hashes };
    const own: Filter = { field: "author", op: "eq", value: this.#request.op.agent };
    const filter = this.#selector.agent === undefined ? { all: [named, own] } : named;
    const derived: Derived[] = [];
    await this.#look(scopes, filter, (resident, found) => {
      for (const victim of found) {
        const place = placeOf(resident, victim.keyHash);
        const one = { ...victim, resident, sources: sourcesOf(resident, victim.keyHash) };
        if (this.#doomed.has(place) || isLater(this.#turn, one)) continue;
        derived.push(one);
        this.#derived.add(place);
        this.#keep(resident);
      }
      bound("cascadeDerived", this.#derived.size);
    });
    return derived;
  }

  /** Returns the sources that still have an entry. */
  async #sourcesThere(scopes: readonly Scope[], derived: readonly Derived[]): Promise<ReadonlySet<string>> {
    const there = new Set<string>();
    const hashes = [...new Set(derived.flatMap(({ sources }) => sources))];
    for (let at = 0; at < hashes.length; at += HASHES_A_LOOK) {
      const value = hashes.slice(at, at + HASHES_A_LOOK);
      await this.#look(scopes, { field: "key_hash", op: "in", value }, (resident, found) => {
        for (const { keyHash } of found) {
          if (!this.#doomed.has(placeOf(resident, keyHash))) there.add(keyHash);
        }
      });
    }
    return there;
  }

  /** Queries one partition after the other. Nothing changes while `each` runs. */
  async #look(
    scopes: readonly Scope[],
    filter: Filter,
    each: (resident: Resident, found: readonly Victim[]) => void,
  ): Promise<void> {
    const yielder = new Yielder();
    for (const scope of scopes) {
      await this.#tier.registry.use(scope, async (resident) => {
        const prepared = await prepareFind(this.#tier, resident, filter);
        each(resident, findVictims(this.#tier, resident, prepared));
      });
      await yielder.rest();
    }
  }

  #keep(resident: Resident): void {
    if (this.#kept.has(resident)) return;
    this.#kept.add(resident);
    this.#tier.registry.keep(resident);
  }
}

function placeOf({ id }: Resident, keyHash: string): string {
  return `${id} ${keyHash}`;
}

function sourcesOf({ staged, partition }: Resident, keyHash: string): readonly string[] {
  const row = staged.get(keyHash)?.row;
  const facets = row ? (JSON.parse(row.facets) as RowFacets) : partition.facetsOf(partition.slotOf(keyHash)!);
  return facets.sources ?? [];
}

function bound(limit: "cascadeSelected" | "cascadeDerived" | "cascadeLevels", got: number): void {
  const max = LIMITS[limit];
  if (got <= max) return;
  const message = `this forget with cascade affects too many entries: forget in smaller parts, or without cascade`;
  throw new MemoryError("too_large", message, { limit, max, got });
}
