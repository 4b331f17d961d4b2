/** Where a part of a list ends that begins at `from` and has up to `bytesMax` together, or one item. */
export function endOfPart<Item>(
  items: readonly Item[],
  from: number,
  bytesOf: (item: Item) => number,
  bytesMax: number,
): number {
  let [end, bytes] = [from + 1, bytesOf(items[from]!)];
  for (; end < items.length; end++) {
    bytes += bytesOf(items[end]!);
    if (bytes > bytesMax) break;
  }
  return end;
}

/** A list in such parts, in order. */
export function* partsOf<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  bytesMax: number,
): Generator<Item[]> {
  for (let from = 0; from < items.length; ) {
    const end = endOfPart(items, from, bytesOf, bytesMax);
    yield items.slice(from, end);
    from = end;
  }
}
