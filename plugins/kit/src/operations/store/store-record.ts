import {
  MemoryError,
  type PluginForgetResult,
  type PluginStoreRequest,
  type PluginStoreResult,
  type StoreReceipt,
} from "@membus/protocol";
import { type LogRecord, type OperationResult, rowIdOf } from "../../journal/index.js";
import type { DocumentIndex, Resident } from "../../lifecycle/index.js";
import type { Claims } from "../../quotas/index.js";
import type { Row } from "../../row.js";
import { filterableEntry } from "../retrieve/entry.js";
import type { StoreParts, TierCore } from "../tier.js";
import { claimRoom } from "./claim-room.js";
import type { Draft, Plan, PlanIndex } from "./plan-store.js";
import type { PlannedEntry } from "./previous.js";

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
  readonly claims: Claims | undefined;
}

type StoreErrors = { readonly index: number; readonly error: MemoryError }[];

/** Builds the record of a batch: rows, replaced rows, and the reply. */
export function buildRecord(
  tier: StoreParts,
  resident: Resident,
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
    const refusal =
      refusalOf(tier, resident, plan, createdCount) ?? quotaRefusal(tier, resident, plan, batch);
    if (refusal !== undefined) errors.push({ index, error: refusal });
    else if (!("draft" in plan)) {
      tier.forgets.stored(batch.order, resident.id, version!.revision);
      receipts.push({ index, key_hash, outcome: "unchanged", revision: version!.revision });
    } else {
      const revision = resident.nextRevision(at);
      const id = { rowId: rowIdOf(seq, rows.length), revision, analyzer: tier.analyzerId };
      const row = rowOf(plan.draft, id, batch.indexes.get(position)?.index);
      const superseded = tier.forgets.forgotten(batch.order, resident.scope, () => filterableEntry(row));
      receipts.push({ index, key_hash, outcome: superseded ? "superseded" : plan.outcome, revision });
      if (superseded) {
        batch.claims?.release(key_hash);
        continue;
      }
      tier.forgets.stored(batch.order, resident.id, revision);
      rows.push(row);
      if (version === undefined) createdCount++;
      else removed.push(version.rowId);
    }
  }
  const { tenant, agent, id, digest } = request.op;
  const result = operationResult(resident.id, receipts, errors);
  return { at, scope: resident.id, rows, removed, op: { tenant, agent, id, digest, done: true }, result };
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
  resident: Resident,
  plan: Plan,
  createdCount: number,
): MemoryError | undefined {
  if (plan.outcome === "refused") return plan.error;
  if (!("draft" in plan) || tier.retention !== undefined) return undefined;
  if (plan.outcome === "created" && hasAllRows(tier, resident, createdCount)) {
    const max = tier.partitionRowsMax;
    const why = "partitionRowsMax, or less because of partitionVectorBytesMax";
    return fullError(`a namespace holds at most ${max} entries (${why}). Forget entries or raise the limit`, {
      limit: "partitionRows",
      max,
    });
  }
  const max = tier.partitionBytesMax;
  if (resident.partition.facetBytes < max || !needsMore(resident, plan)) return undefined;
  const message = `the keys, tags, metadata and sources of a namespace take at most ${max} bytes (partitionBytesMax). Forget entries or raise the limit`;
  return fullError(message, { limit: "partitionBytes", max });
}

function quotaRefusal(
  { holdings }: StoreParts,
  resident: Resident,
  plan: Plan,
  { claims }: PlannedStore,
): MemoryError | undefined {
  if (claims === undefined || !("draft" in plan)) return undefined;
  const refusal = claimRoom(claims, resident, plan.draft);
  if (refusal !== undefined) holdings!.refusalCount++;
  return refusal;
}

function fullError(message: string, detail: { readonly limit: string; readonly max: number }): MemoryError {
  return new MemoryError("memory_full", message, detail);
}

function hasAllRows(
  { partitionRowsMax: max }: StoreParts,
  resident: Resident,
  createdCount: number,
): boolean {
  const { partition, staged } = resident;
  if (partition.liveCount + staged.size + createdCount < max) return false;
  return partition.liveCount + newKeyCount(resident) + createdCount >= max;
}

/** Returns whether an entry takes more memory than the version it replaces, if any. */
function needsMore({ partition }: Resident, { draft }: { readonly draft: Draft }): boolean {
  const slot = partition.slotOf(draft.keyHash);
  if (slot === undefined) return true;
  return Buffer.byteLength(JSON.stringify(draft.facets)) > partition.columns.facets.sizeAt(slot);
}

/** Returns the number of entries that the staged versions add. */
function newKeyCount({ partition, staged }: Resident): number {
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
    receipts: queued
      ? receipts.map((receipt) => (isWritten(receipt.outcome) ? { ...receipt, outcome: "queued" } : receipt))
      : receipts,
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
