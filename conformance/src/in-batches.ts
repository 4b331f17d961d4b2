/** Fewer at once than a host lets one agent have under way, as other checks run beside. */
const BATCH_SIZE = 16;

/** Does `work` for every item, so many at once that it takes no longer than need be. */
export async function inBatches<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < items.length; from += BATCH_SIZE) {
    await Promise.all(items.slice(from, from + BATCH_SIZE).map(work));
  }
}
