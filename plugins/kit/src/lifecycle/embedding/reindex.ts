import type { Clock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { Flusher } from "../../journal/index.js";
import type { Markers } from "../../place/index.js";
import type { GenerationIds, Storage } from "../../storage.js";
import type { BackFill } from "./back-fill.js";
import { type GenerationMarker, readGenerationMarker, writeGenerationMarker } from "./generation.js";
import { waitUnlessAborted } from "./rate-limiter.js";

/** Scopes requested in one call. */
const SCOPES = 1_024;

export interface ReindexDependencies {
  readonly storage: Storage;
  readonly flusher: Flusher;
  readonly backFill: BackFill;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly markers: Markers;
  /** Whether nothing was ever stored. */
  readonly isNew: boolean;
  /** Delay after a failure. Milliseconds. */
  readonly retryMs: number;
}

/**
 * Brings all rows of a durable tier to the current analyzer and embedder in the background. It finds outdated
 * partitions, and `BackFill` rewrites them. Each row records its generation, so a restart continues where the
 * work stopped.
 */
export class Reindex {
  readonly #ids: GenerationIds;
  readonly #dependencies: ReindexDependencies;
  readonly #closing = new AbortController();
  #marker: GenerationMarker;
  #rowCount = 0;
  #outdatedCount = 0;
  /** Rows that `backFill` had rewritten at the time of the count. */
  #rewrittenCount = 0;
  /** Outdated rows in storage at the last round. */
  #storedOutdatedCount = 0;
  #running: Promise<void> | undefined;

  private constructor(ids: GenerationIds, marker: GenerationMarker, dependencies: ReindexDependencies) {
    this.#ids = ids;
    this.#marker = marker;
    this.#dependencies = dependencies;
  }

  /** Compares the tier's marker with the ids. Starts no work. In a new tier there is none. */
  static async open(ids: GenerationIds, dependencies: ReindexDependencies): Promise<Reindex> {
    const { markers, isNew } = dependencies;
    const { analyzer, embedder = "" } = ids;
    const found = await readGenerationMarker(markers);
    const isSame = found.analyzer === analyzer && found.embedder === embedder;
    const generation = found.generation + 1;
    const marker = isSame ? found : { generation, analyzer, embedder, done: isNew };
    if (isNew && !isSame) await writeGenerationMarker(markers, marker);
    return new Reindex(ids, marker, dependencies);
  }

  start(): void {
    if (!this.#marker.done) this.#running = this.#run();
  }

  get stats(): Readonly<Record<string, number | string>> {
    const { generation, analyzer, embedder } = this.#marker;
    const { isPaused, rewrittenCount } = this.#dependencies.backFill;
    const left = Math.max(0, this.#outdatedCount - (rewrittenCount - this.#rewrittenCount));
    return {
      ...{ generation, analyzer, embedder },
      reindex_state: this.#marker.done ? "done" : isPaused ? "paused" : "running",
      reindex_total: this.#rowCount,
      reindex_done: this.#rowCount - left,
    };
  }

  /** Resolves when no work is running. Close `BackFill` first. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, logger, retryMs } = this.#dependencies;
    const { signal } = this.#closing;
    while (!signal.aborted && !this.#marker.done) {
      try {
        await this.#round();
      } catch (error) {
        logger.error({ err: error }, "could not reindex the tier, retrying");
        await waitUnlessAborted(clock, retryMs, signal);
      }
    }
  }

  /** Runs one round. Logged rows are flushed first, so that storage counts them. */
  async #round(): Promise<void> {
    const { storage, flusher, backFill, clock, logger, markers, retryMs } = this.#dependencies;
    await writeGenerationMarker(markers, this.#marker);
    await flusher.flush();
    const { rowCount, outdatedCount, scopes } = await storage.outdated(this.#ids, SCOPES);
    const isAsBefore = outdatedCount === this.#storedOutdatedCount;
    this.#rowCount = rowCount;
    this.#rewrittenCount = backFill.rewrittenCount;
    this.#outdatedCount = this.#storedOutdatedCount = outdatedCount;
    if (scopes.length === 0) return this.#finish();
    // The count did not change: the remaining rows had expired in RAM. A sweep removes them from storage.
    if (isAsBefore) await waitUnlessAborted(clock, retryMs, this.#closing.signal);
    logger.info({ ...this.#ids, rows: outdatedCount }, "reindexing rows in the background");
    backFill.scheduleAll(scopes);
    await backFill.idle(this.#closing.signal);
  }

  async #finish(): Promise<void> {
    const { logger, markers } = this.#dependencies;
    const { generation } = this.#marker;
    const marker = { ...this.#marker, done: true };
    await writeGenerationMarker(markers, marker);
    this.#marker = marker;
    if (generation > 1) logger.info({ ...this.#ids, generation }, "reindexed all rows");
  }
}
