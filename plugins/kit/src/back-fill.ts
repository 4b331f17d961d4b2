import { pendingRows } from "./embed-pending.js";
import { rowIdOf } from "./journal/record.js";
import type { Resident } from "./residency/resident.js";
import type { Row, RowBody } from "./row.js";
import type { Tier } from "./tier.js";

const BATCH = 64;

/** Gives rows of a durable tier the vectors that their embedder did not answer with in time. */
export class BackFill {
  readonly #waiting = new Set<string>();
  #running: Promise<void> | undefined;
  #cancelRetry: (() => void) | undefined;
  #closed = false;

  constructor(
    readonly tier: () => Tier,
    readonly retryMs: number,
  ) {}

  schedule(resident: Resident): void {
    if (this.#closed || this.tier().services.embedder === undefined) return;
    this.#waiting.add(resident.id);
    if (this.#cancelRetry === undefined) this.#start();
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry?.();
    await this.#running;
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#waiting.size > 0 && !this.#closed) this.#retryLater();
    });
  }

  #retryLater(): void {
    const retry = () => {
      this.#cancelRetry = undefined;
      this.#start();
    };
    this.#cancelRetry ??= this.tier().clock.after(this.retryMs, retry, { background: true });
  }

  async #run(): Promise<void> {
    const tier = this.tier();
    for (const id of this.#waiting) {
      const resident = tier.registry.peek(id);
      if (this.#closed) return;
      if (resident === undefined) this.#waiting.delete(id);
      else if (await this.#fill(tier, resident)) this.#waiting.delete(id);
    }
  }

  /** True when nothing is pending there any more. */
  async #fill(tier: Tier, resident: Resident): Promise<boolean> {
    return tier.registry.use(resident.scope, async () => {
      try {
        while (!this.#closed && (resident.partition.vectors?.pendingCount ?? 0) > 0) {
          if (!(await fillBatch(tier, resident))) return false;
        }
        return true;
      } catch (error) {
        tier.logger.debug({ err: error }, "vectors are not there yet");
        return false;
      }
    });
  }
}

/** Rewrites some pending rows with their vectors: the same revision under a new row id. */
async function fillBatch(tier: Tier, resident: Resident): Promise<boolean> {
  const { embedder } = tier.services;
  await readPendingBodies(tier, resident);
  const pending = pendingRows(tier, resident, BATCH).filter((row) => !resident.staged.has(row.keyHash));
  if (pending.length === 0 || embedder === undefined) return false;
  const answers = await tier.indexer.embed(pending.map((row) => row.body));
  const rewritten: { former: number; row: Row }[] = [];
  for (const [index, { keyHash, rowId }] of pending.entries()) {
    const slot = resident.partition.slotOfRow(keyHash, rowId);
    if (slot === undefined || resident.staged.has(keyHash)) continue;
    const row = rowWithVector(tier, resident, slot, {
      embedder: embedder.id,
      vector: answers[index] ?? null,
    });
    rewritten.push({ former: rowId, row });
  }
  if (rewritten.length > 0) await rewrite(tier, resident, rewritten);
  return true;
}

async function readPendingBodies(tier: Tier, resident: Resident): Promise<void> {
  const { columns, vectors } = resident.partition;
  const rowIds: number[] = [];
  for (let slot = 0; slot < columns.count && rowIds.length < BATCH; slot++) {
    if (columns.alive[slot] === 1 && vectors!.isPending(slot)) rowIds.push(columns.rowIds[slot]!);
  }
  await tier.bodies.get(resident.id, rowIds);
}

async function rewrite(
  tier: Tier,
  resident: Resident,
  rewritten: readonly { readonly former: number; readonly row: Row }[],
): Promise<void> {
  await tier.journal.append({
    build: (seq) => ({
      at: tier.clock.now(),
      scope: resident.id,
      rows: rewritten.map(({ row }, index) => ({ ...row, rowId: rowIdOf(seq, index) })),
      removed: rewritten.map(({ former }) => former),
    }),
    stage: (record) => {
      for (const row of record.rows) resident.stage(row.keyHash, row);
    },
    apply: (record) => {
      for (const row of record.rows) {
        tier.bodies.pin(row.rowId, row.body);
        resident.partition.add(row);
        resident.unstage(row.keyHash, row);
      }
      for (const rowId of record.removed) tier.bodies.drop(rowId);
    },
  });
}

function rowWithVector(
  tier: Tier,
  resident: Resident,
  slot: number,
  index: { readonly embedder: string; readonly vector: Float32Array | null },
): Row {
  const { columns, keys } = resident.partition;
  const body = tier.bodies.peek(columns.rowIds[slot]!)!;
  const facets = resident.partition.facetsOf(slot);
  const occurredAt = columns.occurredAt[slot]!;
  return {
    rowId: 0,
    keyHash: keys.hashOf(slot),
    revision: columns.revisions[slot]!,
    seq: columns.seqs[slot]!,
    created: columns.created[slot]!,
    updated: columns.updated[slot]!,
    occurredAt,
    expiresAt: columns.expiresAt[slot]!,
    importance: columns.importances[slot]!,
    group: columns.groups[slot]!,
    facets: columns.facets[slot]!,
    body,
    terms: tier.indexer.terms({ body: JSON.parse(body) as RowBody, facets, occurredAt }),
    ...index,
  };
}
