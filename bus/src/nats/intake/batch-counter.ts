const [PROCESSED, WAITS] = [0, 1] as const;

/**
 * Number of processed batches, shared by both threads. The receiver wakes the sender only if the sender waits,
 * because every wake-up delays the reply to a single request.
 */
export class BatchCounter {
  readonly shared: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#cells = new Int32Array(shared);
  }

  /** Number of processed batches. Starts again after 2^32. */
  get processed(): number {
    return Atomics.load(this.#cells, PROCESSED);
  }

  /** Called by the sender before it waits. It must read `processed` again afterwards. */
  wait(): void {
    Atomics.store(this.#cells, WAITS, 1);
  }

  /** Called by the receiver after each batch. Returns whether the sender waits. */
  add(): boolean {
    Atomics.add(this.#cells, PROCESSED, 1);
    return Atomics.exchange(this.#cells, WAITS, 0) === 1;
  }
}
