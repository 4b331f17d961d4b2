import type { Lane } from "./lane.js";

/** Lanes that write concurrently until they are stopped. */
export class Load {
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;
  #count = 0;
  #onCount: () => void = () => {};

  constructor(lanes: readonly Lane[]) {
    const count = () => {
      this.#count++;
      this.#onCount();
    };
    this.#running = Promise.all(lanes.map((lane) => lane.write(this.#stop.signal, count)));
    // Failures are reported by `stop` or `acknowledged`.
    this.#running.catch(() => undefined);
  }

  /** Resolves when `count` requests are acknowledged. Rejects if a lane has failed. */
  async acknowledged(count: number): Promise<void> {
    const reached = new Promise<void>((resolve) => {
      this.#onCount = () => {
        if (this.#count >= count) resolve();
      };
      this.#onCount();
    });
    await Promise.race([reached, this.#running]);
  }

  async stop(): Promise<number> {
    this.#stop.abort();
    await this.#running;
    return this.#count;
  }
}
