import { abortable, type InFlightCounter, isMemoryError, MemoryError, parseScopeId } from "@membus/protocol";
import type { Embedder, Logger } from "@membus/protocol/plugin";
import type { Row, RowBody } from "../../row.js";
import type { FoundRow } from "../../search/index.js";
import { Yielder } from "../../yielder.js";
import { type ReplaceParts, replaceRows, rowAt } from "../replace-rows.js";
import type { LoadedPartition } from "../residency/loaded-partition.js";
import type { PartitionRegistry } from "../residency/partition-registry.js";
import type { StoredVectors } from "../vectors/stored-vectors.js";
import { vectorsOfRows } from "../vectors/vectors-of-rows.js";
import type { DocumentIndexer } from "./index-document.js";
import { pauseMsOf, RateLimiter, waitUnlessAborted } from "./rate-limiter.js";

const BATCH = 64;
/**
 * Time that background work waits for requests that need the embedder. It is bounded so that background work
 * makes progress. Milliseconds.
 */
const YIELD_MS = 100;

export interface BackFillOptions {
  /** Delay after a failure. Milliseconds. */
  readonly retryMs: number;
  readonly rowsPerSecondMax: number;
}

export interface BackFillParts extends ReplaceParts {
  readonly registry: PartitionRegistry;
  readonly indexer: DocumentIndexer;
  readonly activeQueries: InFlightCounter;
  /** Id of the current analyzer. */
  readonly analyzer: string;
  readonly embedder: Embedder | undefined;
  /** Vectors that are not in RAM. */
  readonly vectors: StoredVectors | undefined;
  readonly logger: Logger;
  /** Resolves when the backlog has capacity, so that stores do not have to wait. */
  waitForCapacity(): Promise<void>;
}

/**
 * Rewrites rows of a durable tier in the background: rows that were not embedded in time, and rows of another
 * embedder or analyzer. It processes one batch at a time, at a limited rate, after requests that wait for the
 * embedder. It respects the retry delay of a provider.
 */
export class BackFill {
  /** Ids of loaded partitions with rows to rewrite. They come first, because they are in use. */
  readonly #loadedIds = new Set<string>();
  /** Ids of partitions that must be loaded for it. */
  readonly #unloadedIds = new Set<string>();
  /** Ids of partitions that were started and may be incomplete. */
  readonly #unfinished: string[] = [];
  readonly #closing = new AbortController();
  readonly #idle: (() => void)[] = [];
  #rateLimiter: RateLimiter | undefined;
  #running: Promise<void> | undefined;
  #cancelRetry: (() => void) | undefined;
  #pauseMs = 0;
  /** Rows rewritten since the start. */
  rewrittenCount = 0;

  constructor(
    readonly options: BackFillOptions,
    readonly parts: BackFillParts,
  ) {}

  /** Schedules the rewrite of a loaded partition. Without an embedder nothing is rewritten. */
  schedule(loaded: LoadedPartition): void {
    if (this.parts.embedder === undefined || this.#closing.signal.aborted) return;
    this.#loadedIds.add(loaded.id);
    if (this.#cancelRetry === undefined) this.#start();
  }

  scheduleAll(scopes: Iterable<string>): void {
    for (const id of scopes) this.#unloadedIds.add(id);
    if (this.#cancelRetry === undefined) this.#start();
  }

  get waitingCount(): number {
    return new Set([...this.#loadedIds, ...this.#unloadedIds]).size + this.#unfinished.length;
  }

  /** Whether the back-fill waits after a failure or because a provider requested a pause. */
  get isPaused(): boolean {
    return this.#cancelRetry !== undefined;
  }

  /** Resolves when no work is left, or the signal is aborted. */
  async idle(signal: AbortSignal): Promise<void> {
    if (this.waitingCount === 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(
      new MemoryError("unavailable", "the tier is closing, retry after the host has restarted"),
    );
    this.#cancelRetry?.();
    await this.#running;
  }

  #start(): void {
    if (this.#closing.signal.aborted) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.waitingCount === 0) for (const resolve of this.#idle.splice(0)) resolve();
      else if (!this.#closing.signal.aborted) this.#retryLater();
    });
  }

  #retryLater(): void {
    const retry = () => {
      this.#cancelRetry = undefined;
      this.#start();
    };
    const waitMs = Math.max(this.options.retryMs, this.#pauseMs);
    this.#cancelRetry ??= this.parts.clock.after(waitMs, retry, { background: true });
  }

  /**
   * Rewrites partitions until the first failure, because a failing embedder would fail for other partitions
   * too.
   */
  async #run(): Promise<void> {
    const { registry, logger } = this.parts;
    this.#pauseMs = 0;
    try {
      for (let id = this.#next(); id !== undefined; id = this.#next()) {
        this.#unfinished.push(id);
        const isDone = await registry.use(parseScopeId(id), (used) => this.#fill(used));
        if (this.#closing.signal.aborted) return;
        if (isDone) this.#unfinished.pop();
      }
    } catch (error) {
      this.#pauseMs = pauseMsOf(error);
      reportFailure(logger, error);
    }
    for (const id of this.#unfinished.splice(0)) this.#unloadedIds.add(id);
  }

  /**
   * Returns the next partition. New pending rows schedule it again, and so does its next load after it was
   * unloaded.
   */
  #next(): string | undefined {
    for (const id of this.#loadedIds) {
      this.#loadedIds.delete(id);
      if (this.parts.registry.peek(id) === undefined) continue;
      this.#unloadedIds.delete(id);
      return id;
    }
    const [id] = this.#unloadedIds;
    if (id !== undefined) this.#unloadedIds.delete(id);
    return id;
  }

  /**
   * Rewrites every pending row once and returns whether none is left. A row that is about to change is
   * skipped, because its next version gets its vector separately.
   */
  async #fill(loaded: LoadedPartition): Promise<boolean> {
    let from = 0;
    const { signal } = this.#closing;
    for (;;) {
      const pending = loaded.partition.pendingRows(BATCH, from);
      if (pending.length === 0) return !loaded.partition.hasPendingRows;
      await this.#waitForTurn(pending.length);
      if (signal.aborted) return false;
      this.rewrittenCount += await fillRows(this.parts, loaded, pending, signal);
      from = pending.at(-1)!.slot + 1;
    }
  }

  async #waitForTurn(count: number): Promise<void> {
    const { signal } = this.#closing;
    const { clock, activeQueries } = this.parts;
    this.#rateLimiter ??= new RateLimiter(clock, this.options.rowsPerSecondMax);
    const waitMs = this.#rateLimiter.delayAfter(count);
    if (waitMs > 0) await waitUnlessAborted(clock, waitMs, signal);
    await this.parts.waitForCapacity();
    if (activeQueries.count === 0) return;
    const yielded = new AbortController();
    const stop = (): void => yielded.abort();
    signal.addEventListener("abort", stop, { once: true });
    void activeQueries.idle().then(stop);
    await waitUnlessAborted(clock, YIELD_MS, yielded.signal);
    signal.removeEventListener("abort", stop);
  }
}

function reportFailure(logger: Logger, error: unknown): void {
  const isExpected = isMemoryError(error) && error.retryable;
  if (isExpected) logger.debug({ err: error }, "waiting for the embedder, vectors are still missing");
  else logger.error({ err: error }, "could not rewrite rows in the background");
}

/**
 * Rewrites pending rows in the current generation: the same revision with a new row id. Returns the number of
 * rows.
 */
async function fillRows(
  parts: BackFillParts,
  loaded: LoadedPartition,
  pending: readonly FoundRow[],
  signal: AbortSignal,
): Promise<number> {
  const found = await parts.bodies.get(
    loaded.id,
    pending.map(({ rowId }) => rowId),
  );
  const rows = pending.filter(({ rowId }) => found.has(rowId));
  const vectors = await vectorsOf(parts, loaded, rows, found, signal);
  const terms = await termsOf(parts.indexer, loaded, rows, found);
  const rewritten: Row[] = [];
  for (const { keyHash, rowId } of rows) {
    const slot = loaded.partition.slotOfRow(keyHash, rowId);
    if (slot === undefined || vectors.get(rowId) === UNANSWERED || loaded.staged.has(keyHash)) continue;
    const row = rowAt(loaded, slot, found.get(rowId)!);
    const analysed = { terms: terms.get(rowId)!, analyzer: parts.analyzer };
    rewritten.push({ ...row, ...analysed, embedder: "", vector: null, ...vectors.get(rowId) });
  }
  const replaced = rewritten.map(({ rowId }) => rowId);
  if (rewritten.length > 0) await replaceRows(parts, loaded, rewritten, replaced);
  return rewritten.length;
}

/** Returns the terms of rows by row id. */
async function termsOf(
  indexer: DocumentIndexer,
  { partition }: LoadedPartition,
  rows: readonly FoundRow[],
  bodies: ReadonlyMap<number, string>,
): Promise<Map<number, Uint32Array>> {
  const terms = new Map<number, Uint32Array>();
  const yielder = new Yielder();
  for (const { keyHash, rowId } of rows) {
    const slot = partition.slotOfRow(keyHash, rowId);
    if (slot === undefined) continue;
    const [facets, occurredAt] = [partition.facetsOf(slot), partition.columns.numbers.occurredAt[slot]!];
    const body = JSON.parse(bodies.get(rowId)!) as RowBody;
    terms.set(rowId, indexer.terms({ body, facets, occurredAt }));
    await yielder.yieldIfDue();
  }
  return terms;
}

type RowVector = Pick<Row, "embedder" | "vector">;

/** Marks a row that stays pending. */
const UNANSWERED: Partial<RowVector> = {};

/** Returns the vectors of rows by row id. Existing vectors are not requested again. */
async function vectorsOf(
  parts: BackFillParts,
  loaded: LoadedPartition,
  rows: readonly FoundRow[],
  bodies: ReadonlyMap<number, string>,
  signal: AbortSignal,
): Promise<Map<number, Partial<RowVector>>> {
  const { embedder } = parts;
  const { id, partition } = loaded;
  const vectors = new Map<number, Partial<RowVector>>();
  if (embedder === undefined) return vectors;
  const present = await vectorsOfRows(parts.vectors, loaded, rows);
  const open: number[] = [];
  for (const { keyHash, rowId } of rows) {
    const slot = partition.slotOfRow(keyHash, rowId);
    if (slot === undefined || partition.vectors!.isPending(slot)) open.push(rowId);
    else vectors.set(rowId, { embedder: embedder.id, vector: present.get(rowId) ?? null });
  }
  if (open.length === 0) return vectors;
  const texts = open.map((rowId) => JSON.parse(bodies.get(rowId)!) as RowBody);
  const embedding = parts.indexer.embedTolerant(texts, id);
  const answers = await abortable(embedding, signal);
  for (const [at, rowId] of open.entries()) {
    const vector = answers[at];
    vectors.set(rowId, vector === undefined ? UNANSWERED : { embedder: embedder.id, vector });
  }
  return vectors;
}
