/** Negative when slot `a` is listed before slot `b`. */
export type CompareSlots = (a: number, b: number) => number;

/**
 * The first `limit` of the offered slots in the order of `compare`, by a heap whose root is the last of them:
 * one pass, whatever the number of slots.
 */
export class TopSlots {
  readonly #heap: number[] = [];

  constructor(
    readonly limit: number,
    readonly compare: CompareSlots,
  ) {}

  offer(slot: number): void {
    const heap = this.#heap;
    if (heap.length < this.limit) {
      heap.push(slot);
      this.#up(heap.length - 1);
    } else if (this.limit > 0 && this.compare(slot, heap[0]!) < 0) {
      heap[0] = slot;
      this.#down(0);
    }
  }

  /** The last of them once there are `limit`: what is not before it does not come in. */
  get last(): number | undefined {
    return this.#heap.length < this.limit ? undefined : this.#heap[0];
  }

  /** The slots in order. */
  sorted(): number[] {
    return this.#heap.sort(this.compare);
  }

  #up(index: number): void {
    const heap = this.#heap;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.compare(heap[index]!, heap[parent]!) <= 0) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #down(index: number): void {
    const heap = this.#heap;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const later = right < heap.length && this.compare(heap[right]!, heap[left]!) > 0 ? right : left;
      if (this.compare(heap[later]!, heap[index]!) <= 0) return;
      this.#swap(index, later);
      index = later;
    }
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  }
}
