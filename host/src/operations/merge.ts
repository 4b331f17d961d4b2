import type { MemoryEntry, Order } from "@membus/protocol";
import {
  comparePositions,
  type PluginRetrieveResult,
  type Position,
  positionOf,
} from "@membus/protocol/plugin";

/**
 * Returns the first `limit` entries of sorted pages, in the total order of the protocol (clause RET-5). Stops
 * at the end of a cut page, because its tier has more entries there.
 */
export function mergePages(
  results: readonly PluginRetrieveResult[],
  order: Order,
  limit: number,
): MemoryEntry[] {
  const heads = results
    .filter(({ entries }) => entries.length > 0)
    .map((result) => new PageHead(result, order));
  const merged: MemoryEntry[] = [];
  while (merged.length < limit && heads.length > 0) {
    let first = heads[0]!;
    for (const head of heads) {
      if (comparePositions(head.position, first.position, order) < 0) first = head;
    }
    merged.push(first.entry);
    if (first.advance()) continue;
    if (first.isCut) break;
    heads.splice(heads.indexOf(first), 1);
  }
  return merged;
}

class PageHead {
  readonly isCut: boolean;
  readonly #page: readonly MemoryEntry[];
  readonly #order: Order;
  #index = 0;
  position: Position;

  constructor({ entries, cut }: PluginRetrieveResult, order: Order) {
    this.isCut = cut ?? false;
    this.#page = entries;
    this.#order = order;
    this.position = positionOf(this.entry, order);
  }

  get entry(): MemoryEntry {
    return this.#page[this.#index]!;
  }

  /** Returns false if the page is exhausted. */
  advance(): boolean {
    this.#index++;
    if (this.#index >= this.#page.length) return false;
    this.position = positionOf(this.entry, this.#order);
    return true;
  }
}

/**
 * Returns whether entries may follow the page made of `results`. Certain if more entries were returned than
 * fit, or if a tier's page is cut. A tier that filled its page may have more. Its total decides this on the
 * first page. After a cursor only the next page shows it.
 */
export function mayHaveMore(
  results: readonly PluginRetrieveResult[],
  limit: number,
  isFirstPage: boolean,
): boolean {
  if (limit === 0) return false;
  const delivered = results.reduce((sum, { entries }) => sum + entries.length, 0);
  if (delivered > limit || results.some(({ cut }) => cut)) return true;
  return results.some(({ entries, total, total_relation }) => {
    if (entries.length < limit) return false;
    return !isFirstPage || total_relation === "gte" || total > entries.length;
  });
}
