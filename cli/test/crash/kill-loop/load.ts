import type { Writer } from "./writer.js";

/** Writers that write concurrently until they are stopped. */
export class Load {
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;
  #count = 0;
  #onCount: () => void = () => {};

  constructor(writers: readonly Writer[]) {
    const count = () => {
      this.#count++;
      this.#onCount();
    };
    this.#running = Promise.all(writers.map((writer) => writer.write(this.#stop.signal, count)));
    // Failures are reported by `stop` or `acknowledged`.
    this.#running.catch(() => undefined);
  }

  /** Resolves when `count` requests are acknowledged. Rejects if a writer has failed. */
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
