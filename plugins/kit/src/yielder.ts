import { systemClock } from "@membus/protocol";

/** Time that work runs before it yields to other requests, short enough to go unnoticed. Seconds. */
const SLICE_S = 0.003;

/**
 * Lets long work yield to other requests between its steps. Uses the machine's clock, because a tier's clock
 * may stand still.
 */
export class Yielder {
  #until = systemClock.now() + SLICE_S;

  /** Yields if the time slice has elapsed. Await it between steps. */
  async yieldIfDue(): Promise<void> {
    if (systemClock.now() < this.#until) return;
    await new Promise(setImmediate);
    this.#until = systemClock.now() + SLICE_S;
  }
}

/** Returns the end of the chunk that starts at `from` and has at most `bytesMax` bytes, or one item. */
export function chunkEnd<Item>(
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

/** Splits a list into such chunks, in order. */
export function* chunksOf<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  bytesMax: number,
): Generator<Item[]> {
  for (let from = 0; from < items.length; ) {
    const end = chunkEnd(items, from, bytesOf, bytesMax);
    yield items.slice(from, end);
    from = end;
  }
}
