import { parseScopeId } from "@membus/protocol";
import type { Tier } from "./tier.js";

/** Loads partitions one after the other, before anybody asks for them. */
export class Preload {
  readonly #running: Promise<void>;
  #closed = false;

  constructor(tier: Tier, scopes: readonly string[]) {
    this.#running = this.#run(tier, scopes);
  }

  /** Waits for the one that is being loaded. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  /** Whoever asks for a partition that fails to load is told why. */
  async #run(tier: Tier, scopes: readonly string[]): Promise<void> {
    for (const scope of scopes) {
      if (this.#closed) return;
      try {
        await tier.registry.use(parseScopeId(scope), () => undefined);
      } catch (error) {
        tier.logger.warn({ err: error }, "a partition was not preloaded");
      }
    }
  }
}
