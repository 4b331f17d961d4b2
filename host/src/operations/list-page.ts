import { setImmediate } from "node:timers/promises";
import {
  compareListPlaces,
  type ListItem,
  type ListOrder,
  type ListPlace,
  listPlaceOf,
} from "@membus/protocol";
import { STEP_ITEMS } from "./list-merge.js";

/** An item and where it stands. */
export interface PlacedItem {
  readonly item: ListItem;
  readonly place: ListPlace;
}

export interface ListPage {
  readonly items: readonly PlacedItem[];
  readonly hasMore: boolean;
}

export interface ListPageRequest {
  readonly order: ListOrder;
  /** Only items behind it. */
  readonly after: ListPlace | undefined;
  readonly limit: number;
}

/**
 * The first items behind a place, in order (clause LIST-8). In steps, each of which keeps the best so far: sorting the
 * most that a list may have would hold up other requests.
 */
export async function firstBehind(
  items: readonly ListItem[],
  { order, after, limit }: ListPageRequest,
): Promise<ListPage> {
  let best: readonly PlacedItem[] = [];
  let behindCount = 0;
  for (let from = 0; from < items.length; from += STEP_ITEMS) {
    if (from > 0) await setImmediate();
    const placed = items
      .slice(from, from + STEP_ITEMS)
      .map((item) => ({ item, place: listPlaceOf(item, order) }));
    const behind =
      after === undefined ? placed : placed.filter((one) => compareListPlaces(after, one.place) < 0);
    behindCount += behind.length;
    best = [...best, ...behind].sort((a, b) => compareListPlaces(a.place, b.place)).slice(0, limit);
  }
  return { items: best, hasMore: limit > 0 && behindCount > limit };
}
