import { systemClock } from "@membus/protocol";

/** How long work goes on before others come in between: what waits for it should not notice. Seconds. */
const SLICE_S = 0.01;

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
