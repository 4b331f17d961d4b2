import type { World } from "../world.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type Signal = (typeof SIGNALS)[number];

const EXIT_CODE: Readonly<Record<Signal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Ends a run at the first signal, after the running checks have cleaned up. A second signal ends the process
 * at once.
 */
export class Interruption {
  #signal: Signal | undefined;

  constructor() {
    for (const signal of SIGNALS) process.once(signal, this.#stop);
  }

  /** Exit code after a signal. Undefined before. */
  get exitCode(): number | undefined {
    return this.#signal && EXIT_CODE[this.#signal];
  }

  /** Wraps a world so that no check starts after a signal. */
  guard(world: World): World {
    const { route, name, tiers, profile, provisions, furtherSuites } = world;
    const { concurrency, isShared, patienceMs } = world;
    return {
      ...{ route, name, tiers, profile, provisions, furtherSuites, concurrency, isShared, patienceMs },
      open: async (request) => {
        if (this.#signal !== undefined) throw new Error(`stopped by ${this.#signal}`);
        return world.open(request);
      },
      replayScript: (steps) => world.replayScript(steps),
      close: () => world.close(),
    } satisfies Required<World>;
  }

  /** Removes the signal handlers. */
  release(): void {
    for (const signal of SIGNALS) process.removeListener(signal, this.#stop);
  }

  readonly #stop = (signal: Signal): void => {
    this.#signal = signal;
    this.release();
    process.stderr.write(`\nstopping after the running checks, send the signal again to stop at once\n`);
  };
}
