import type { Clock } from "@membus/protocol";
import type { PluginRunner } from "./plugin-runner.js";

/**
 * Runs the maintenance of every plugin at regular intervals. Each plugin has its own timer and never runs two
 * rounds at once.
 */
export class Maintenance {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #cancels = new Map<PluginRunner, () => void>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  start(runner: PluginRunner): void {
    if (runner.plugin.maintain === undefined || this.#stopped) return;
    const round = () => {
      const running = runner.maintain().then(() => {
        this.#running.delete(running);
        this.start(runner);
      });
      this.#running.add(running);
    };
    const cancel = this.#clock.after(this.#intervalMs, round, { background: true });
    this.#cancels.set(runner, cancel);
  }

  /** Resolves when the running rounds have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const cancel of this.#cancels.values()) cancel();
    await Promise.all(this.#running);
  }
}
