import {
  comparePositions,
  type MemoryEntry,
  type Order,
  type PluginRetrieveResult,
  type Position,
  positionOf,
} from "@membus/protocol";

/** The first `limit` entries of sorted pages, in the total order of the protocol (clause RET-5). */
export function mergePages(
  pages: readonly (readonly MemoryEntry[])[],
  order: Order,
  limit: number,
): MemoryEntry[] {
  const heads = pages.filter((page) => page.length > 0).map((page) => new PageHead(page, order));
  const merged: MemoryEntry[] = [];
  while (merged.length < limit && heads.length > 0) {
    let first = heads[0]!;
    for (const head of heads) {
      if (comparePositions(head.position, first.position, order) < 0) first = head;
    }
    merged.push(first.entry);
    if (!first.advance()) heads.splice(heads.indexOf(first), 1);
  }
  return merged;
}

class PageHead {
  readonly #page: readonly MemoryEntry[];
  readonly #order: Order;
  #index = 0;
  position: Position;

  constructor(page: readonly MemoryEntry[], order: Order) {
    this.#page = page;
    this.#order = order;
    this.position = positionOf(this.entry, order);
  }

  get entry(): MemoryEntry {
    return this.#page[this.#index]!;
  }

  /** False when the page is used up. */
  advance(): boolean {
    this.#index++;
    if (this.#index >= this.#page.length) return false;
    this.position = positionOf(this.entry, this.#order);
    return true;
  }
}

/**
 * Whether entries may follow the page cut from `results`. True for certain when more came than fits. A tier that
 * filled its page may have more; its total tells on the first page, and behind a cursor only the next page does.
 */
export function mayHaveMore(
  results: readonly PluginRetrieveResult[],
  limit: number,
  isFirstPage: boolean,
): boolean {
  if (limit === 0) return false;
  const delivered = results.reduce((sum, { entries }) => sum + entries.length, 0);
  if (delivered > limit) return true;
  return results.some(({ entries, total, total_relation }) => {
    if (entries.length < limit) return false;
    return !isFirstPage || total_relation === "gte" || total > entries.length;
  });
}
