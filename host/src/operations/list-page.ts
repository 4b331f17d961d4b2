import { setImmediate } from "node:timers/promises";
import type { ListItem, ListOrder } from "@membus/protocol";
import { compareListPositions, type ListPosition, listPositionOf } from "@membus/protocol/plugin";
import { STEP_ITEMS } from "./list-merge.js";

/** Item with its position in the order. */
export interface PlacedItem {
  readonly item: ListItem;
  readonly place: ListPosition;
}

export interface ListPage {
  readonly items: readonly PlacedItem[];
  readonly hasMore: boolean;
}

export interface ListPageRequest {
  readonly order: ListOrder;
  /** Only items after this position are returned. */
  readonly after: ListPosition | undefined;
  readonly limit: number;
}

/**
 * Returns the first items after a position, in order (clause LIST-8). Works in steps that each keep the best
 * items so far, because sorting the longest possible list at once would delay other requests.
 */
export async function firstPageAfter(
  items: readonly ListItem[],
  { order, after, limit }: ListPageRequest,
): Promise<ListPage> {
  let best: readonly PlacedItem[] = [];
  let followingCount = 0;
  for (let from = 0; from < items.length; from += STEP_ITEMS) {
    if (from > 0) await setImmediate();
    const placed = items
      .slice(from, from + STEP_ITEMS)
      .map((item) => ({ item, place: listPositionOf(item, order) }));
    const following =
      after === undefined ? placed : placed.filter((one) => compareListPositions(after, one.place) < 0);
    followingCount += following.length;
    best = [...best, ...following].sort((a, b) => compareListPositions(a.place, b.place)).slice(0, limit);
  }
  return { items: best, hasMore: limit > 0 && followingCount > limit };
}
