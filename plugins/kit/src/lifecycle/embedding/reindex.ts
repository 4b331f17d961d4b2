import type { Clock, Logger } from "@membus/protocol";
import type { Flusher } from "../../journal/index.js";
import type { GenerationIds, Storage } from "../../storage.js";
import type { BackFill } from "./back-fill.js";
import { waitUnlessAborted } from "./background-pace.js";
import { type GenerationMarker, readGenerationMarker, writeGenerationMarker } from "./generation.js";

/** Scopes asked for at once. */
const SCOPES = 1_024;

export interface ReindexDependencies {
  readonly storage: Storage;
  readonly flusher: Flusher;
  readonly backFill: BackFill;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Holds the marker. */
  readonly directory: string;
  /** Whether nothing was ever stored. */
  readonly isNew: boolean;
  /** Pause after a failure. */
  readonly retryMs: number;
}

/**
 * Brings all rows of a durable tier to the present analyzer and embedder, in the background: it finds them partition by
 * partition and leaves the work to `BackFill`. Every row tells by itself whether it is done, so a start after a crash
 * goes on where the work stopped.
 */
export class Reindex {
  readonly #ids: GenerationIds;
  readonly #dependencies: ReindexDependencies;
  readonly #closing = new AbortController();
  #marker: GenerationMarker;
  #rowCount = 0;
  #outdatedCount = 0;
  /** By `backFill`, when they were counted. */
  #rewrittenCount = 0;
  /** As the last round found it in storage. */
  #storedOutdatedCount = 0;
  #running: Promise<void> | undefined;

  private constructor(ids: GenerationIds, marker: GenerationMarker, dependencies: ReindexDependencies) {
    this.#ids = ids;
    this.#marker = marker;
    this.#dependencies = dependencies;
  }

  /** Compares what the directory says with the ids; nothing runs yet. In a new directory all is done. */
  static async open(ids: GenerationIds, dependencies: ReindexDependencies): Promise<Reindex> {
    const { directory, isNew, logger } = dependencies;
    const { analyzer, embedder = "" } = ids;
    const found = await readGenerationMarker(directory, logger);
    const isSame = found.analyzer === analyzer && found.embedder === embedder;
    const generation = found.generation + 1;
    const marker = isSame ? found : { generation, analyzer, embedder, done: isNew };
    if (isNew && !isSame) await writeGenerationMarker(directory, marker);
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

  /** Resolves when nothing is under way. `BackFill` is to be closed first. */
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
        logger.error({ err: error }, "the tier cannot be indexed anew; it is tried again");
        await waitUnlessAborted(clock, retryMs, signal);
      }
    }
  }

  /** What is logged is flushed first, so that storage knows of it. */
  async #round(): Promise<void> {
    const { storage, flusher, backFill, clock, logger, directory, retryMs } = this.#dependencies;
    await writeGenerationMarker(directory, this.#marker);
    await flusher.flush();
    const { rowCount, outdatedCount, scopes } = await storage.outdated(this.#ids, SCOPES);
    const isAsBefore = outdatedCount === this.#storedOutdatedCount;
    this.#rowCount = rowCount;
    this.#rewrittenCount = backFill.rewrittenCount;
    this.#outdatedCount = this.#storedOutdatedCount = outdatedCount;
    if (scopes.length === 0) return this.#finish();
    // Nothing was left of them in RAM, where rows expire first; a sweep takes them from storage.
    if (isAsBefore) await waitUnlessAborted(clock, retryMs, this.#closing.signal);
    logger.info({ ...this.#ids, rows: outdatedCount }, "rows are indexed anew in the background");
    backFill.scheduleAll(scopes);
    await backFill.idle(this.#closing.signal);
  }

  async #finish(): Promise<void> {
    const { logger, directory } = this.#dependencies;
    const { generation } = this.#marker;
    const marker = { ...this.#marker, done: true };
    await writeGenerationMarker(directory, marker);
    this.#marker = marker;
    if (generation > 1) logger.info({ ...this.#ids, generation }, "all rows are of the new generation");
  }
}
