import {
  MemoryError,
  type PluginStoreRequest,
  type PluginStoreResult,
  type Scope,
  type StoreItem,
  type StoreReceipt,
} from "@membus/protocol";
import type { DocumentIndex } from "../index-document.js";
import { type LogRecord, type OperationResult, rowIdOf } from "../journal/record.js";
import { filterSubject } from "../read/entry.js";
import type { Resident } from "../residency/resident.js";
import { type Row, rowBytes } from "../row.js";
import { expireNow, removeRow, type Tier } from "../tier.js";
import { type Draft, type Plan, type Previous, planStore } from "./plan-store.js";
import { readPrevious, versionOf } from "./previous.js";
import { storeResult } from "./result.js";

/** Stores a batch in one partition: one record holds its rows and its receipts. */
export async function store(
  tier: Tier,
  scope: Scope,
  request: PluginStoreRequest,
): Promise<PluginStoreResult> {
  const order = tier.forgets.storeBegan();
  try {
    const result = await tier.registry.use(scope, (resident) => storeInto(tier, resident, request, order));
    return storeResult(result, { queued: tier.durable && request.ack === "queued" });
  } finally {
    tier.forgets.storeEnded(order);
  }
}

/** Plans, indexes, and commits unless a current version has changed meanwhile: then it plans again. */
async function storeInto(
  tier: Tier,
  resident: Resident,
  request: PluginStoreRequest,
  order: number,
): Promise<OperationResult> {
  const { op, entries, ack } = request;
  const context = {
    agent: op.agent,
    acceptedAt: Math.max(op.accepted_at, tier.clockFloor),
    embedder: tier.services.embedder?.id ?? "",
  };
  for (;;) {
    expireNow(tier, resident);
    const previous = await readPrevious(tier, resident, entries);
    const plans = entries.map((item, index) => planStore(item, previous[index], context));
    const indexes = await indexPlans(tier, plans, ack === "queued" ? 0 : tier.embedWaitMs);
    if (!stillCurrent(resident, entries, previous)) continue;
    return commit(tier, resident, { request, order, previous, plans, indexes, at: context.acceptedAt });
  }
}

/** In a tier in memory, analysis and vectors wait for the first query. */
async function indexPlans(
  tier: Tier,
  plans: readonly Plan[],
  waitMs: number,
): Promise<ReadonlyMap<Plan, DocumentIndex>> {
  const open = plans.filter((plan) => "draft" in plan);
  if (!tier.durable || open.length === 0) return new Map();
  const indexes = await tier.indexer.index(
    open.map((plan) => plan.draft),
    waitMs,
  );
  return new Map(open.map((plan, index) => [plan, indexes[index]!]));
}

function stillCurrent(
  resident: Resident,
  entries: readonly StoreItem[],
  previous: readonly (Previous | undefined)[],
): boolean {
  return entries.every(({ key_hash }, index) => versionOf(resident, key_hash) === previous[index]?.rowId);
}

interface Commit {
  readonly request: PluginStoreRequest;
  readonly order: number;
  readonly previous: readonly (Previous | undefined)[];
  readonly plans: readonly Plan[];
  readonly indexes: ReadonlyMap<Plan, DocumentIndex>;
  readonly at: number;
}

async function commit(tier: Tier, resident: Resident, work: Commit): Promise<OperationResult> {
  const { op } = work.request;
  let result: OperationResult = {};
  await tier.journal.append({
    build: (seq) => buildRecord(tier, resident, work, seq),
    stage(record) {
      result = record.result!;
      for (const row of record.rows) resident.stage(row.keyHash, row);
    },
    apply(record, place) {
      for (const row of record.rows) applyRow(tier, resident, row);
      for (const rowId of record.removed) tier.bodies.drop(rowId);
      tier.operations.remember(op, work.at, place);
    },
  });
  evictOverflow(tier);
  return result;
}

function applyRow(tier: Tier, resident: Resident, row: Row): void {
  tier.bodies.pin(row.rowId, row.body);
  resident.partition.add(row);
  resident.unstage(row.keyHash, row);
  tier.retention?.stored({ scope: resident.id, keyHash: row.keyHash }, rowBytes(row));
  if (row.embedder === "") tier.needsVectors(resident);
}

function evictOverflow(tier: Tier): void {
  for (const { scope, keyHash } of tier.retention?.overflow() ?? []) {
    const resident = tier.registry.peek(scope);
    const slot = resident?.partition.slotOf(keyHash);
    if (resident === undefined || slot === undefined) continue;
    removeRow(
      tier,
      resident,
      { keyHash, rowId: resident.partition.columns.rowIds[slot]! },
      { action: "evicted" },
    );
    tier.registry.dropEmpty(resident);
  }
}

function buildRecord(tier: Tier, resident: Resident, work: Commit, seq: number): LogRecord {
  const { request, plans, previous, at } = work;
  const rows: Row[] = [];
  const removed: number[] = [];
  const receipts: StoreReceipt[] = [];
  const errors: { index: number; error: MemoryError }[] = [];
  for (const [position, plan] of plans.entries()) {
    const former = previous[position];
    const { index, key_hash } = request.entries[position]!;
    const refusal = refusalOf(tier, resident, plan, rows.length);
    if (refusal !== undefined) errors.push({ index, error: refusal });
    else if (!("draft" in plan)) {
      receipts.push({ index, key_hash, outcome: "unchanged", revision: former!.revision });
    } else {
      const revision = resident.nextRevision(at);
      const row = rowOf(plan.draft, { rowId: rowIdOf(seq, rows.length), revision }, work.indexes.get(plan));
      const superseded = tier.forgets.forgotten(work.order, resident.scope, filterSubject(row));
      receipts.push({ index, key_hash, outcome: superseded ? "superseded" : plan.outcome, revision });
      if (superseded) continue;
      rows.push(row);
      if (former !== undefined) removed.push(former.rowId);
    }
  }
  const result = operationResult(resident.id, receipts, errors);
  return { at, scope: resident.id, rows, removed, op: { ...stamp(request), done: true }, result };
}

function stamp({ op }: PluginStoreRequest): { tenant: string; agent: string; id: string; digest: string } {
  return { tenant: op.tenant, agent: op.agent, id: op.id, digest: op.digest };
}

function operationResult(
  scope: string,
  receipts: readonly StoreReceipt[],
  errors: readonly { index: number; error: MemoryError }[],
): OperationResult {
  return {
    scope,
    receipts,
    errors: errors.map(({ index, error }) => ({
      index,
      code: error.code,
      message: error.message,
      detail: error.detail,
    })),
  };
}

function refusalOf(tier: Tier, resident: Resident, plan: Plan, added: number): MemoryError | undefined {
  if (plan.outcome === "refused") return plan.error;
  const max = tier.partitionRowsMax;
  if (plan.outcome !== "created" || resident.partition.liveCount + added < max) return undefined;
  return new MemoryError("memory_full", `a partition holds at most ${max} entries`, {
    limit: "partitionRows",
    max,
  });
}

function rowOf(
  draft: Draft,
  version: { readonly rowId: number; readonly revision: number },
  index: DocumentIndex | undefined,
): Row {
  return {
    ...version,
    keyHash: draft.keyHash,
    seq: draft.seq === 0 ? version.revision : draft.seq,
    created: draft.created,
    updated: draft.updated,
    occurredAt: draft.occurredAt,
    expiresAt: draft.expiresAt,
    importance: draft.importance,
    group: draft.group,
    facets: JSON.stringify(draft.facets),
    body: JSON.stringify(draft.body),
    terms: index?.terms ?? null,
    embedder: index?.embedder ?? draft.embedder,
    vector: index?.vector ?? draft.vector,
  };
}
