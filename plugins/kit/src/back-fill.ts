import { isMemoryError, MemoryError } from "@membus/protocol";
import { rowIdOf } from "./journal/record.js";
import type { PendingRow } from "./partition/partition.js";
import type { Resident } from "./residency/resident.js";
import type { Row, RowBody } from "./row.js";
import type { Tier } from "./tier.js";

const BATCH = 64;

/** Gives rows of a durable tier the vectors that their embedder did not answer with in time, or that are another's. */
export class BackFill {
  /** Ids of partitions with rows that have no vector yet. */
  readonly #waiting = new Set<string>();
  /** Those that were begun and are not known to be done. */
  readonly #unfinished: string[] = [];
  #running: Promise<void> | undefined;
  #cancelRetry: (() => void) | undefined;
  readonly #closing = new AbortController();

  constructor(
    readonly tier: () => Tier,
    readonly retryMs: number,
  ) {}

  schedule(resident: Resident): void {
    if (this.#closing.signal.aborted || this.tier().services.embedder === undefined) return;
    this.#waiting.add(resident.id);
    if (this.#cancelRetry === undefined) this.#start();
  }

  get waitingCount(): number {
    return this.#waiting.size + this.#unfinished.length;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelRetry?.();
    await this.#running;
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#waiting.size > 0 && !this.#closing.signal.aborted) this.#retryLater();
    });
  }

  #retryLater(): void {
    const retry = () => {
      this.#cancelRetry = undefined;
      this.#start();
    };
    this.#cancelRetry ??= this.tier().clock.after(this.retryMs, retry, { background: true });
  }

  /** Stops at the first failure: an embedder that is down answers no other partition either. */
  async #run(): Promise<void> {
    const tier = this.tier();
    try {
      for (const id of this.#waiting) {
        // What becomes pending from now on schedules it again, and so does its next load once it has left RAM.
        this.#waiting.delete(id);
        const resident = tier.registry.peek(id);
        if (resident === undefined) continue;
        this.#unfinished.push(id);
        await tier.registry.use(resident.scope, (used) => this.#fill(tier, used));
        if (this.#closing.signal.aborted) return;
        if (resident.partition.pendingCount === 0) this.#unfinished.pop();
      }
    } catch (error) {
      reportFailure(tier, error);
    }
    for (const id of this.#unfinished.splice(0)) this.#waiting.add(id);
  }

  /** Takes every pending row once. One that is about to change stays behind: its next version speaks for itself. */
  async #fill(tier: Tier, resident: Resident): Promise<void> {
    let from = 0;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const pending = resident.partition.pendingRows(BATCH, from);
      if (pending.length === 0) return;
      await fillRows(tier, resident, pending, signal);
      from = pending.at(-1)!.slot + 1;
    }
  }
}

/** An embedder may never answer: closing does not wait for it. */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new MemoryError("unavailable", "the tier is closing"));
    if (signal.aborted) refuse();
    signal.addEventListener("abort", refuse, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", refuse));
  });
}

function reportFailure(tier: Tier, error: unknown): void {
  const isExpected = isMemoryError(error) && error.retryable;
  if (isExpected) tier.logger.debug({ err: error }, "vectors are not there yet");
  else tier.logger.error({ err: error }, "vectors cannot be filled in");
}

/** Rewrites pending rows with their vectors: the same revision under a new row id. */
async function fillRows(
  tier: Tier,
  resident: Resident,
  pending: readonly PendingRow[],
  signal: AbortSignal,
): Promise<void> {
  const embedder = tier.services.embedder!;
  const found = await tier.bodies.get(
    resident.id,
    pending.map(({ rowId }) => rowId),
  );
  const rows = pending.filter(({ rowId }) => found.has(rowId));
  const bodies = rows.map(({ rowId }) => found.get(rowId)!);
  const embedding = tier.indexer.embed(bodies.map((body) => JSON.parse(body) as RowBody));
  const answers = await unlessAborted(embedding, signal);
  const rewritten: Row[] = [];
  for (const [index, { keyHash, rowId }] of rows.entries()) {
    const slot = resident.partition.slotOfRow(keyHash, rowId);
    if (slot === undefined || resident.staged.has(keyHash)) continue;
    const vector = { embedder: embedder.id, vector: answers[index]! };
    rewritten.push({ ...rowAt(tier, resident, slot, bodies[index]!), ...vector });
  }
  if (rewritten.length > 0) await rewrite(tier, resident, rewritten);
}

/** The row in a slot, without its vector. */
function rowAt(tier: Tier, resident: Resident, slot: number, body: string): Omit<Row, "embedder" | "vector"> {
  const { columns, keys } = resident.partition;
  const facets = resident.partition.facetsOf(slot);
  const occurredAt = columns.occurredAt[slot]!;
  return {
    rowId: columns.rowIds[slot]!,
    keyHash: keys.hashOf(slot),
    revision: columns.revisions[slot]!,
    seq: columns.seqs[slot]!,
    created: columns.created[slot]!,
    updated: columns.updated[slot]!,
    occurredAt,
    expiresAt: columns.expiresAt[slot]!,
    importance: columns.importances[slot]!,
    group: columns.groups[slot]!,
    facets: columns.facets.at(slot),
    body,
    terms: tier.indexer.terms({ body: JSON.parse(body) as RowBody, facets, occurredAt }),
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
