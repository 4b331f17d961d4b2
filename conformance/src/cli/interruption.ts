import type { World } from "../world.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type Signal = (typeof SIGNALS)[number];

const EXIT_CODE: Readonly<Record<Signal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Ends a run at the first signal, once the checks under way have cleaned up; a second one ends the process at once. */
export class Interruption {
  #signal: Signal | undefined;

  constructor() {
    for (const signal of SIGNALS) process.once(signal, this.#stop);
  }

  /** What the process exits with; undefined while there was no signal. */
  get exitCode(): number | undefined {
    return this.#signal && EXIT_CODE[this.#signal];
  }

  /** The world, in which no check begins any more after a signal. */
  guard(world: World): World {
    const { route, name, tiers, profile, provisions, concurrency } = world;
    return {
      ...{ route, name, tiers, profile, provisions, concurrency },
      open: async (request) => {
        if (this.#signal !== undefined) throw new Error(`stopped by ${this.#signal}`);
        return world.open(request);
      },
      replayScript: (steps) => world.replayScript(steps),
      close: () => world.close(),
    };
  }

  /** Leaves signals to the process again. */
  release(): void {
    for (const signal of SIGNALS) process.removeListener(signal, this.#stop);
  }

  readonly #stop = (signal: Signal): void => {
    this.#signal = signal;
    this.release();
    process.stderr.write(`\nstopping after the checks under way; once more to stop at once\n`);
  };
}
