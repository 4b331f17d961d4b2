/** How long work goes on before others come in between: what waits for it should not notice. */
const STRETCH_MS = 10;

/** Work in steps that lets other requests in between. By real time, as a tier's clock may stand still. */
export class Stretch {
  #until = performance.now() + STRETCH_MS;

  /** To be awaited between the steps. */
  async rest(): Promise<void> {
    if (performance.now() < this.#until) return;
    await new Promise(setImmediate);
    this.#until = performance.now() + STRETCH_MS;
  }
}
