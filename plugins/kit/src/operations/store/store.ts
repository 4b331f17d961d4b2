import type { Scope } from "@membus/protocol";
import type { PluginStoreRequest, PluginStoreResult } from "@membus/protocol/plugin";
import type { Mutation, OperationResult } from "../../journal/index.js";
import { countAdded, evictOverflow, indexManyRows, type LoadedPartition } from "../../lifecycle/index.js";
import { UsageReservation } from "../../quotas/index.js";
import type { Row } from "../../row.js";
import { textBytes } from "../../text-bytes.js";
import type { StoreParts } from "../tier.js";
import { indexPlans, NO_INDEX, type PlanIndex, planStore } from "./plan-store.js";
import { isStillCurrent, type PlannedEntry, planEntries } from "./previous.js";
import { expireForQuota } from "./reserve-usage.js";
import { buildRecord, type PlannedStore, storeResult } from "./store-record.js";

/** Stores a batch in one partition. One record contains its rows and receipts. */
export async function store(
  tier: StoreParts,
  scope: Scope,
  request: PluginStoreRequest,
): Promise<PluginStoreResult> {
  const order = tier.forgets.storeStarted();
  try {
    const result = await tier.registry.use(scope, (loaded) => storeInto(tier, loaded, request, order));
    return storeResult(result, { queued: tier.durable && request.ack === "queued" });
  } finally {
    tier.forgets.storeEnded(order);
  }
}

/** Plans, indexes, and commits. Entries with a changed current version are planned again. */
async function storeInto(
  tier: StoreParts,
  loaded: LoadedPartition,
  request: PluginStoreRequest,
  order: number,
): Promise<OperationResult> {
  const { op, entries, ack, own_only: ownOnly = false } = request;
  const at = op.accepted_at;
  const context = { agent: op.agent, acceptedAt: at, embedder: tier.embedderId, ownOnly };
  const waitMs = ack === "queued" ? 0 : tier.embedWaitMs;
  const uncovered = () => tier.revisions?.reserveUpTo(loaded.latestRevision(at) + entries.length);
  const planned: PlannedEntry[] = [];
  let indexes: PlanIndex = NO_INDEX;
  const usage = tier.usageTracker && (await tier.usageTracker.of(loaded.scope.tenant));
  await tier.expiry.expireInSteps(loaded);
  for (let open = [...entries.keys()]; open.length > 0; ) {
    const items = open.map((position) => entries[position]!);
    const planning = planEntries(tier, loaded, items, (item, previous) => planStore(item, previous, context));
    const plans = planning instanceof Promise ? await planning : planning;
    for (const [index, position] of open.entries()) planned[position] = plans[index]!;
    // In a tier in memory, the first query analyses and embeds the entries.
    if (tier.durable) {
      const all = planned.map(({ plan }) => plan);
      indexes = await indexPlans(tier.indexer, all, { scope: loaded.id, waitMs }, indexes);
    }
    if (usage !== undefined) await expireForQuota(tier, loaded, usage, planned);
    await tier.expiry.expireInSteps(loaded);
    // Other stores may commit during the wait, so plans are checked after it.
    for (let wait = uncovered(); wait !== undefined; wait = uncovered()) await wait;
    tier.expiry.expireNow(loaded);
    const hasChanged = (position: number) =>
      !isStillCurrent(loaded, entries[position]!.key_hash, planned[position]!);
    open = [...entries.keys()].filter(hasChanged);
  }
  const reservation = usage && new UsageReservation(usage);
  return commit(tier, loaded, { request, order, planned, indexes, at, reservation });
}

async function commit(
  tier: StoreParts,
  loaded: LoadedPartition,
  batch: PlannedStore,
): Promise<OperationResult> {
  const { op } = batch.request;
  let result: OperationResult = {};
  const { reservation } = batch;
  const mutation: Mutation = {
    build: (seq) => buildRecord(tier, loaded, batch, seq),
    stage(record, seq) {
      result = record.result!;
      for (const row of record.rows) loaded.stage(row.keyHash, { seq, row });
    },
    apply(record, seq, place) {
      for (const row of record.rows) {
        reservation?.release(row.keyHash);
        applyRow(tier, loaded, row, seq);
      }
      for (const rowId of record.removed) tier.bodies.drop(rowId);
      tier.operations.remember(op, batch.at, place);
    },
  };
  try {
    await tier.journal.append(mutation);
  } finally {
    reservation?.releaseAll();
  }
  if (tier.durable) indexManyRows(tier.registry, loaded, tier.clock);
  touchUnchanged(tier, loaded, result);
  evictOverflow(tier);
  return result;
}

function applyRow(tier: StoreParts, loaded: LoadedPartition, row: Row, seq: number): void {
  tier.bodies.pin(row.rowId, row.body);
  countAdded(tier.usageTracker, loaded, row);
  loaded.partition.add(row);
  loaded.unstage(row.keyHash, seq);
  tier.retention?.stored({ scope: loaded.id, keyHash: row.keyHash }, textBytes(row.body));
  if (row.embedder === "") tier.needsVectors(loaded);
}

/** Counts storing an unchanged entry as a use. */
function touchUnchanged(tier: StoreParts, loaded: LoadedPartition, { receipts = [] }: OperationResult): void {
  if (tier.retention === undefined) return;
  for (const { outcome, key_hash } of receipts) {
    if (outcome === "unchanged") tier.retention.touched({ scope: loaded.id, keyHash: key_hash });
  }
}
