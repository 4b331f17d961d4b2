import { MemoryError, type StoreReceipt } from "@membus/protocol";
import type { PluginForgetResult, PluginStoreRequest, PluginStoreResult } from "@membus/protocol/plugin";
import { type LogRecord, type OperationResult, rowIdOf } from "../../journal/index.js";
import type { DocumentIndex, LoadedPartition } from "../../lifecycle/index.js";
import type { UsageReservation } from "../../quotas/index.js";
import type { Row } from "../../row.js";
import { filterableEntry } from "../retrieve/entry.js";
import type { StoreParts, TierCore } from "../tier.js";
import type { Draft, Plan, PlanIndex } from "./plan-store.js";
import type { PlannedEntry } from "./previous.js";
import { reserveUsage } from "./reserve-usage.js";

/** A batch with the plans of its entries, by position. */
export interface PlannedStore {
  readonly request: PluginStoreRequest;
  /** Its place in the order of stores and forgets. */
  readonly order: number;
  readonly planned: readonly PlannedEntry[];
  readonly indexes: PlanIndex;
  /** Time of acceptance. Unix seconds. */
  readonly at: number;
  /** Set if quotas apply. */
  readonly reservation: UsageReservation | undefined;
}

type StoreErrors = { readonly index: number; readonly error: MemoryError }[];

/** Builds the record of a batch: rows, replaced rows, and the reply. */
export function buildRecord(
  tier: StoreParts,
  loaded: LoadedPartition,
  batch: PlannedStore,
  seq: number,
): LogRecord {
  const { request, planned, at } = batch;
  const rows: Row[] = [];
  const removed: number[] = [];
  const receipts: StoreReceipt[] = [];
  const errors: StoreErrors = [];
  let createdCount = 0;
  for (const [position, { plan, version }] of planned.entries()) {
    const { index, key_hash } = request.entries[position]!;
    const refusal = refusalOf(tier, loaded, plan, createdCount) ?? quotaRefusal(tier, loaded, plan, batch);
    if (refusal !== undefined) errors.push({ index, error: refusal });
    else if (!("draft" in plan)) {
      tier.forgets.stored(batch.order, loaded.id, version!.revision);
      receipts.push({ index, key_hash, outcome: "unchanged", revision: version!.revision });
    } else {
      const revision = loaded.nextRevision(at);
      const id = { rowId: rowIdOf(seq, rows.length), revision, analyzer: tier.analyzerId };
      const row = rowOf(plan.draft, id, batch.indexes.get(position)?.index);
      const superseded = tier.forgets.forgotten(batch.order, loaded.scope, () => filterableEntry(row));
      receipts.push({ index, key_hash, outcome: superseded ? "superseded" : plan.outcome, revision });
      if (superseded) {
        batch.reservation?.release(key_hash);
        continue;
      }
      tier.forgets.stored(batch.order, loaded.id, revision);
      rows.push(row);
      if (version === undefined) createdCount++;
      else removed.push(version.rowId);
    }
  }
  const { tenant, agent, id, digest } = request.op;
  const result = operationResult(loaded.id, receipts, errors);
  return { at, scope: loaded.id, rows, removed, op: { tenant, agent, id, digest, done: true }, result };
}

function operationResult(
  scope: string,
  receipts: readonly StoreReceipt[],
  errors: StoreErrors,
): OperationResult {
  return {
    scope,
    receipts,
    errors: errors.map(({ index, error: { code, message, detail } }) => ({ index, code, message, detail })),
  };
}

/** Returns the error that refuses a plan, if any. A tier that evicts is never full. */
function refusalOf(
  tier: StoreParts,
  loaded: LoadedPartition,
  plan: Plan,
  createdCount: number,
): MemoryError | undefined {
  if (plan.outcome === "refused") return plan.error;
  if (!("draft" in plan) || tier.retention !== undefined) return undefined;
  if (plan.outcome === "created" && hasAllRows(tier, loaded, createdCount)) {
    const max = tier.partitionRowsMax;
    const why = "partitionRowsMax, or less because of partitionVectorBytesMax";
    return fullError(`a namespace holds at most ${max} entries (${why}). Forget entries or raise the limit`, {
      limit: "partitionRows",
      max,
    });
  }
  const max = tier.partitionBytesMax;
  if (loaded.partition.facetBytes < max || !needsMore(loaded, plan)) return undefined;
  const message = `the keys, tags, metadata and sources of a namespace take at most ${max} bytes (partitionBytesMax). Forget entries or raise the limit`;
  return fullError(message, { limit: "partitionBytes", max });
}

function quotaRefusal(
  { usageTracker }: StoreParts,
  loaded: LoadedPartition,
  plan: Plan,
  { reservation }: PlannedStore,
): MemoryError | undefined {
  if (reservation === undefined || !("draft" in plan)) return undefined;
  const refusal = reserveUsage(reservation, loaded, plan.draft);
  if (refusal !== undefined) usageTracker!.refusalCount++;
  return refusal;
}

function fullError(message: string, detail: { readonly limit: string; readonly max: number }): MemoryError {
  return new MemoryError("memory_full", message, detail);
}

function hasAllRows(
  { partitionRowsMax: max }: StoreParts,
  loaded: LoadedPartition,
  createdCount: number,
): boolean {
  const { partition, staged } = loaded;
  if (partition.liveCount + staged.size + createdCount < max) return false;
  return partition.liveCount + newKeyCount(loaded) + createdCount >= max;
}

/** Returns whether an entry takes more memory than the version it replaces, if any. */
function needsMore({ partition }: LoadedPartition, { draft }: { readonly draft: Draft }): boolean {
  const slot = partition.slotOf(draft.keyHash);
  if (slot === undefined) return true;
  return Buffer.byteLength(JSON.stringify(draft.facets)) > partition.columns.facets.sizeAt(slot);
}

/** Returns the number of entries that the staged versions add. */
function newKeyCount({ partition, staged }: LoadedPartition): number {
  let count = 0;
  for (const [keyHash, { row }] of staged) {
    count += Number(row !== null) - Number(partition.slotOf(keyHash) !== undefined);
  }
  return count;
}

function rowOf(
  draft: Draft,
  { rowId, revision, analyzer }: Pick<Row, "rowId" | "revision" | "analyzer">,
  index: DocumentIndex | undefined,
): Row {
  return {
    rowId,
    revision,
    analyzer,
    terms: index?.terms ?? null,
    ...draft,
    seq: draft.seq === 0 ? revision : draft.seq,
    facets: JSON.stringify(draft.facets),
    body: JSON.stringify(draft.body),
    embedder: index?.embedder ?? draft.embedder,
    vector: index?.vector ?? draft.vector,
  };
}

/**
 * Builds the reply of a store from its remembered result, so that the first and every later reply are equal.
 */
export function storeResult(
  { receipts = [], errors = [] }: OperationResult,
  { queued }: { readonly queued: boolean },
): PluginStoreResult {
  return {
    // Copies, because a caller may change its reply, and the remembered result must stay.
    receipts: receipts.map((receipt) =>
      queued && isWritten(receipt.outcome) ? { ...receipt, outcome: "queued" } : { ...receipt },
    ),
    errors: errors.map(({ index, code, message, detail }) => ({
      index,
      error: new MemoryError(code, message, detail),
    })),
  };
}

/** Builds the reply of a forget from its remembered result and time `at`. */
export function forgetResult(
  { durable }: Pick<TierCore, "durable">,
  { deleted = 0, cascaded }: OperationResult,
  at: number,
): PluginForgetResult {
  return { deleted, ...(cascaded && { cascaded }), at, purge: durable ? "scheduled" : "done" };
}

function isWritten(outcome: string): boolean {
  return outcome === "created" || outcome === "updated";
}
