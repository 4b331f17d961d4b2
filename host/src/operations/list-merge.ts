import { setImmediate } from "node:timers/promises";
import { LIMITS, type ListItem, MemoryError } from "@membus/protocol";

/** Items processed per step, which takes one or two milliseconds. */
export const STEP_ITEMS = 4_096;

/**
 * Merges the items of several tiers, one per value (clause LIST-3). Works in steps, because a list may be
 * very long.
 */
export class ListMerge {
  readonly #shownAs: (item: ListItem) => ListItem["value"];
  readonly #items = new Map<ListItem["value"], ListItem>();

  /** @param shownAs returns the value that an item is counted under, by default its own value. */
  constructor(shownAs: (item: ListItem) => ListItem["value"] = ({ value }) => value) {
    this.#shownAs = shownAs;
  }

  get items(): readonly ListItem[] {
    return [...this.#items.values()];
  }

  /** @throws {MemoryError} `too_large` if the list exceeds the maximum number of values (clause LIST-12). */
  async add(items: readonly ListItem[]): Promise<void> {
    for (let from = 0; from < items.length; from += STEP_ITEMS) {
      if (from > 0) await setImmediate();
      for (const item of items.slice(from, from + STEP_ITEMS)) this.#add(item);
    }
    const [max, got] = [LIMITS.listValues, this.#items.size];
    if (got <= max) return;
    const message = `the list has more than ${max} distinct values. Narrow it with criteria`;
    throw new MemoryError("too_large", message, { limit: "listValues", max, got });
  }

  #add(item: ListItem): void {
    const value = this.#shownAs(item);
    const { count, newest, bytes } = item;
    const merged = this.#items.get(value);
    if (merged === undefined) {
      this.#items.set(value, { value, count, newest, bytes });
      return;
    }
    merged.count += count;
    merged.newest = Math.max(merged.newest, newest);
    merged.bytes += bytes;
  }
}
