import { PATIENCE_MS } from "../fixtures/patience.js";
import type { Pace } from "./pace.js";

const AFTER_SILENCE_MS = 250;

/** Time to wait for events. It is shorter after a whole wait without any event from the host. */
export class EventPatience {
  readonly #pace: Pace;
  #isPublished = false;
  #wasInVain = false;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  get ms(): number {
    return this.#wasInVain && !this.#isPublished ? AFTER_SILENCE_MS : PATIENCE_MS + this.#pace.replyMs;
  }

  published(): void {
    this.#isPublished = true;
  }

  inVain(): void {
    this.#wasInVain = true;
  }
}
