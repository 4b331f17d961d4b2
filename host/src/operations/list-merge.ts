import { setImmediate } from "node:timers/promises";
import { LIMITS, type ListItem, MemoryError } from "@membus/protocol";

/** Items that are looked at in one step: a millisecond or two. */
export const STEP_ITEMS = 4_096;

/** The items of several tiers, each value once (clause LIST-3). In steps, as there may be very many. */
export class ListMerge {
  readonly #shownAs: (item: ListItem) => ListItem["value"];
  readonly #items = new Map<ListItem["value"], ListItem>();

  /** `shownAs` tells what an item counts for, by default its own value. */
  constructor(shownAs: (item: ListItem) => ListItem["value"] = ({ value }) => value) {
    this.#shownAs = shownAs;
  }

  get items(): readonly ListItem[] {
    return [...this.#items.values()];
  }

  /** @throws {MemoryError} `too_large` for more values than a list may have (clause LIST-12). */
  async add(items: readonly ListItem[]): Promise<void> {
    for (let from = 0; from < items.length; from += STEP_ITEMS) {
      if (from > 0) await setImmediate();
      for (const item of items.slice(from, from + STEP_ITEMS)) this.#add(item);
    }
    const [max, got] = [LIMITS.listValues, this.#items.size];
    if (got <= max) return;
    const message = `a list has at most ${max} distinct values; criteria make them fewer`;
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
