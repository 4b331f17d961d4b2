import { systemClock, within } from "@membus/protocol";

const PATIENCE_MS = 2_000;

/** Holds what comes to it until it is opened. */
export class Gate {
  #count = 0;
  #onArrival: () => void = () => {};
  #open: () => void = () => {};
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  async pass(): Promise<void> {
    this.#count++;
    this.#onArrival();
    await this.#opened;
  }

  open(): void {
    this.#open();
  }

  /** How many have come, once `count` have, or when nothing more is to be expected. */
  async arrivals(count: number): Promise<number> {
    const reached = new Promise<void>((resolve) => {
      this.#onArrival = () => {
        if (this.#count >= count) resolve();
      };
      this.#onArrival();
    });
    await within(systemClock, PATIENCE_MS, reached);
    return this.#count;
  }
}
