import type { Clock } from "@membus/protocol";

/** How long the stages of a request take, one after the other; one that comes again adds to its time. */
export class Stages {
  readonly #clock: Clock;
  readonly #seconds = new Map<string, number>();
  #begun: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#begun = clock.now();
  }

  /** What passed since the stage before belongs to this one. */
  end(stage: string): void {
    const now = this.#clock.now();
    this.#seconds.set(stage, (this.#seconds.get(stage) ?? 0) + now - this.#begun);
    this.#begun = now;
  }

  /** Milliseconds by stage. */
  get tookMs(): Record<string, number> {
    return Object.fromEntries(
      [...this.#seconds].map(([stage, seconds]) => [stage, Math.round(seconds * 1e6) / 1e3]),
    );
  }
}
