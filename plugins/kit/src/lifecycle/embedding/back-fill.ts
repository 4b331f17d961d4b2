import { isMemoryError, MemoryError, parseScopeId, untilAborted } from "@membus/protocol";
import { Pace } from "./pace.js";
import { waitUnlessAborted } from "./wait.js";
import { rowIdOf } from "../../journal/record.js";
import type { FoundRow } from "../../search/partition/rows-that.js";
import { pauseMsOf } from "../../pause.js";
import type { Resident } from "../residency/resident.js";
import type { Row, RowBody } from "../../row.js";
import { Stretch } from "../../stretch.js";
import type { Tier } from "../../tier.js";

const BATCH = 64;
/** Requests that wait for the embedder go first, but background work must come to its end beside them. */
const YIELD_MS = 100;

export interface BackFillOptions {
  /** Pause after a failure. */
  readonly retryMs: number;
  readonly rowsPerSecondMax: number;
}

export interface BackFillDependencies {
  tier(): Tier;
  /** Resolves when so much may be written again that stores are not kept waiting. */
  roomToWrite(): Promise<void>;
  /** So many rows have been written anew. */
  rewritten(count: number): void;
}

/**
 * Writes rows of a durable tier anew, in the background: those that their embedder did not answer for in time, and
 * those of another embedder or analyzer. One batch at a time, at a bounded rate, after the requests that wait for the
 * embedder; a provider that asks for a pause gets it.
 */
export class BackFill {
  /** Ids of partitions in RAM with rows to be written anew: somebody asks for them, so they come first. */
  readonly #touched = new Set<string>();
  /** Those that have to be loaded for it. */
  readonly #others = new Set<string>();
  /** Those that were begun and are not known to be done. */
  readonly #unfinished: string[] = [];
  readonly #closing = new AbortController();
  readonly #idle: (() => void)[] = [];
  #pace: Pace | undefined;
  #running: Promise<void> | undefined;
  #cancelRetry: (() => void) | undefined;
  #pauseMs = 0;

  constructor(
    readonly options: BackFillOptions,
    readonly dependencies: BackFillDependencies,
  ) {}

  schedule(resident: Resident): void {
    if (this.#closing.signal.aborted) return;
    this.#touched.add(resident.id);
    if (this.#cancelRetry === undefined) this.#start();
  }

  scheduleAll(scopes: Iterable<string>): void {
    for (const id of scopes) this.#others.add(id);
    if (this.#cancelRetry === undefined) this.#start();
  }

  get waitingCount(): number {
    return new Set([...this.#touched, ...this.#others]).size + this.#unfinished.length;
  }

  /** Whether it waits because of a failure, or because the provider has asked for it. */
  get isPaused(): boolean {
    return this.#cancelRetry !== undefined;
  }

  /** Resolves when nothing is left to do, or the signal is aborted. */
  async idle(signal: AbortSignal): Promise<void> {
    if (this.waitingCount === 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(new MemoryError("unavailable", "the tier is closing"));
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
    this.#cancelRetry ??= this.dependencies.tier().clock.after(waitMs, retry, { background: true });
  }

  /** Stops at the first failure: an embedder that is down answers no other partition either. */
  async #run(): Promise<void> {
    const tier = this.dependencies.tier();
    this.#pauseMs = 0;
    try {
      for (let id = this.#next(tier); id !== undefined; id = this.#next(tier)) {
        this.#unfinished.push(id);
        const isDone = await tier.registry.use(parseScopeId(id), (used) => this.#fill(tier, used));
        if (this.#closing.signal.aborted) return;
        if (isDone) this.#unfinished.pop();
      }
    } catch (error) {
      this.#pauseMs = pauseMsOf(error);
      reportFailure(tier, error);
    }
    for (const id of this.#unfinished.splice(0)) this.#others.add(id);
  }

  /** What becomes pending from now on schedules it again, and so does its next load once it has left RAM. */
  #next(tier: Tier): string | undefined {
    for (const id of this.#touched) {
      this.#touched.delete(id);
      if (tier.registry.peek(id) === undefined) continue;
      this.#others.delete(id);
      return id;
    }
    const [id] = this.#others;
    if (id !== undefined) this.#others.delete(id);
    return id;
  }

  /** Takes every pending row once. One that is about to change stays behind: its next version speaks for itself. */
  async #fill(tier: Tier, resident: Resident): Promise<boolean> {
    let from = 0;
    const { signal } = this.#closing;
    for (;;) {
      const pending = resident.partition.pendingRows(BATCH, from);
      if (pending.length === 0) return !resident.partition.isBehind;
      await this.#itsTurn(tier, pending.length);
      if (signal.aborted) return false;
      this.dependencies.rewritten(await fillRows(tier, resident, pending, signal));
      from = pending.at(-1)!.slot + 1;
    }
  }

  async #itsTurn(tier: Tier, count: number): Promise<void> {
    const { signal } = this.#closing;
    this.#pace ??= new Pace(tier.clock, this.options.rowsPerSecondMax);
    const waitMs = this.#pace.take(count);
    if (waitMs > 0) await waitUnlessAborted(tier.clock, waitMs, signal);
    await this.dependencies.roomToWrite();
    if (tier.foreground.isIdle) return;
    const yielded = new AbortController();
    const stop = (): void => yielded.abort();
    signal.addEventListener("abort", stop, { once: true });
    void tier.foreground.idle().then(stop);
    await waitUnlessAborted(tier.clock, YIELD_MS, yielded.signal);
    signal.removeEventListener("abort", stop);
  }
}

function reportFailure(tier: Tier, error: unknown): void {
  const isExpected = isMemoryError(error) && error.retryable;
  if (isExpected) tier.logger.debug({ err: error }, "vectors are not there yet");
  else tier.logger.error({ err: error }, "vectors cannot be filled in");
}

/** Rewrites pending rows in the present generation: the same revision under a new row id. Returns how many. */
async function fillRows(
  tier: Tier,
  resident: Resident,
  pending: readonly FoundRow[],
  signal: AbortSignal,
): Promise<number> {
  const found = await tier.bodies.get(
    resident.id,
    pending.map(({ rowId }) => rowId),
  );
  const rows = pending.filter(({ rowId }) => found.has(rowId));
  const vectors = await vectorsOf(tier, resident, rows, found, signal);
  const terms = await termsOf(tier, resident, rows, found);
  const rewritten: Row[] = [];
  for (const { keyHash, rowId } of rows) {
    const slot = resident.partition.slotOfRow(keyHash, rowId);
    if (slot === undefined || vectors.get(rowId) === UNANSWERED || resident.staged.has(keyHash)) continue;
    const row = rowAt(resident, slot, found.get(rowId)!);
    const analysed = { terms: terms.get(rowId)!, analyzer: tier.analyzer.id };
    rewritten.push({ ...row, ...analysed, ...vectors.get(rowId) });
  }
  if (rewritten.length > 0) await rewrite(tier, resident, rewritten);
  return rewritten.length;
}

/** Terms of rows by row id. */
async function termsOf(
  { indexer }: Tier,
  { partition }: Resident,
  rows: readonly FoundRow[],
  bodies: ReadonlyMap<number, string>,
): Promise<Map<number, Uint32Array>> {
  const terms = new Map<number, Uint32Array>();
  const stretch = new Stretch();
  for (const { keyHash, rowId } of rows) {
    const slot = partition.slotOfRow(keyHash, rowId);
    if (slot === undefined) continue;
    const [facets, occurredAt] = [partition.facetsOf(slot), partition.columns.occurredAt[slot]!];
    const body = JSON.parse(bodies.get(rowId)!) as RowBody;
    terms.set(rowId, indexer.terms({ body, facets, occurredAt }));
    await stretch.rest();
  }
  return terms;
}

type RowVector = Pick<Row, "embedder" | "vector">;

/** Stands for the vector of a row that stays pending. */
const UNANSWERED: Partial<RowVector> = {};

/** Vectors of rows by row id: those that are there already are not asked for again. */
async function vectorsOf(
  tier: Tier,
  { partition }: Resident,
  rows: readonly FoundRow[],
  bodies: ReadonlyMap<number, string>,
  signal: AbortSignal,
): Promise<Map<number, Partial<RowVector>>> {
  const { embedder } = tier.services;
  const vectors = new Map<number, Partial<RowVector>>();
  if (embedder === undefined) return vectors;
  const open: number[] = [];
  for (const { keyHash, rowId } of rows) {
    const slot = partition.slotOfRow(keyHash, rowId);
    if (slot === undefined || partition.vectors!.isPending(slot)) open.push(rowId);
    else vectors.set(rowId, { embedder: embedder.id, vector: partition.vectors!.vectorOf(slot) ?? null });
  }
  if (open.length === 0) return vectors;
  const embedding = tier.indexer.embedMost(open.map((rowId) => JSON.parse(bodies.get(rowId)!) as RowBody));
  const answers = await untilAborted(embedding, signal);
  for (const [at, rowId] of open.entries()) {
    const vector = answers[at];
    vectors.set(rowId, vector === undefined ? UNANSWERED : { embedder: embedder.id, vector });
  }
  return vectors;
}

/** The row in a slot, without terms and its vector. */
function rowAt(resident: Resident, slot: number, body: string): Omit<Row, "terms" | "analyzer"> {
  const { columns, keys } = resident.partition;
  return {
    rowId: columns.rowIds[slot]!,
    keyHash: keys.hashOf(slot),
    revision: columns.revisions[slot]!,
    seq: columns.seqs[slot]!,
    created: columns.created[slot]!,
    updated: columns.updated[slot]!,
    occurredAt: columns.occurredAt[slot]!,
    expiresAt: columns.expiresAt[slot]!,
    importance: columns.importances[slot]!,
    group: columns.groups[slot]!,
    facets: columns.facets.at(slot),
    body,
    embedder: "",
    vector: null,
  };
}

async function rewrite(tier: Tier, resident: Resident, rows: readonly Row[]): Promise<void> {
  await tier.journal.append({
    build: (seq) => ({
      at: tier.clock.now(),
      scope: resident.id,
      rows: rows.map((row, index) => ({ ...row, rowId: rowIdOf(seq, index) })),
      removed: rows.map(({ rowId }) => rowId),
    }),
    stage(record, seq) {
      for (const row of record.rows) resident.stage(row.keyHash, { seq, row });
    },
    apply(record, seq) {
      for (const row of record.rows) {
        tier.bodies.pin(row.rowId, row.body);
        resident.partition.add(row);
        resident.unstage(row.keyHash, seq);
      }
      for (const rowId of record.removed) tier.bodies.drop(rowId);
    },
  });
}
