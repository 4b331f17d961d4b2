import { systemClock } from "@membus/protocol";

/** How long work goes on before others come in between: what waits for it should not notice. Seconds. */
const SLICE_S = 0.003;

/** Work in steps that lets other requests in between. By the machine's own clock, as a tier's may stand still. */
export class Yielder {
  #until = systemClock.now() + SLICE_S;

  /** To be awaited between the steps. */
  async rest(): Promise<void> {
    if (systemClock.now() < this.#until) return;
    await new Promise(setImmediate);
    this.#until = systemClock.now() + SLICE_S;
  }
}

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
