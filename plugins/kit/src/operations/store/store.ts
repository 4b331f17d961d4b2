import type { PluginStoreRequest, PluginStoreResult, Scope } from "@membus/protocol";
import type { Mutation, OperationResult } from "../../journal/index.js";
import { countAdded, evictOverflow, type Resident } from "../../lifecycle/index.js";
import { Claims } from "../../quotas/index.js";
import type { Row } from "../../row.js";
import { textBytes } from "../../text-bytes.js";
import type { StoreParts } from "../tier.js";
import { expireForRoom } from "./claim-room.js";
import { indexPlans, NO_INDEX, type PlanIndex, planStore } from "./plan-store.js";
import { isStillCurrent, type PlannedEntry, planEntries } from "./previous.js";
import { buildRecord, type PlannedStore, storeResult } from "./store-record.js";

/** Stores a batch in one partition. One record contains its rows and receipts. */
export async function store(
  tier: StoreParts,
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

/** Plans, indexes, and commits. Entries whose current version has changed are planned again. */
async function storeInto(
  tier: StoreParts,
  resident: Resident,
  request: PluginStoreRequest,
  order: number,
): Promise<OperationResult> {
  const { op, entries, ack, own_only: ownOnly = false } = request;
  const at = op.accepted_at;
  const context = { agent: op.agent, acceptedAt: at, embedder: tier.embedderId, ownOnly };
  const waitMs = ack === "queued" ? 0 : tier.embedWaitMs;
  const uncovered = () => tier.revisions?.cover(resident.latestRevision(at) + entries.length);
  const planned: PlannedEntry[] = [];
  let indexes: PlanIndex = NO_INDEX;
  const held = tier.holdings && (await tier.holdings.of(resident.scope.tenant));
  await tier.expiry.expireAhead(resident);
  for (let open = [...entries.keys()]; open.length > 0; ) {
    const items = open.map((position) => entries[position]!);
    const planning = planEntries(tier, resident, items, (item, previous) =>
      planStore(item, previous, context),
    );
    const plans = planning instanceof Promise ? await planning : planning;
    for (const [index, position] of open.entries()) planned[position] = plans[index]!;
    // In a tier in memory, the first query analyses and embeds the entries.
    if (tier.durable) {
      const all = planned.map(({ plan }) => plan);
      indexes = await indexPlans(tier.indexer, all, { scope: resident.id, waitMs }, indexes);
    }
    if (held !== undefined) await expireForRoom(tier, resident, held, planned);
    await tier.expiry.expireAhead(resident);
    // Other stores may commit during the wait, so plans are checked after it.
    for (let wait = uncovered(); wait !== undefined; wait = uncovered()) await wait;
    tier.expiry.expireNow(resident);
    const hasChanged = (position: number) =>
      !isStillCurrent(resident, entries[position]!.key_hash, planned[position]!);
    open = [...entries.keys()].filter(hasChanged);
  }
  const claims = held && new Claims(held);
  return commit(tier, resident, { request, order, planned, indexes, at, claims });
}

async function commit(tier: StoreParts, resident: Resident, batch: PlannedStore): Promise<OperationResult> {
  const { op } = batch.request;
  let result: OperationResult = {};
  const { claims } = batch;
  const mutation: Mutation = {
    build: (seq) => buildRecord(tier, resident, batch, seq),
    stage(record, seq) {
      result = record.result!;
      for (const row of record.rows) resident.stage(row.keyHash, { seq, row });
    },
    apply(record, seq, place) {
      for (const row of record.rows) {
        claims?.release(row.keyHash);
        applyRow(tier, resident, row, seq);
      }
      for (const rowId of record.removed) tier.bodies.drop(rowId);
      tier.operations.remember(op, batch.at, place);
    },
  };
  try {
    await tier.journal.append(mutation);
  } finally {
    claims?.releaseAll();
  }
  touchUnchanged(tier, resident, result);
  evictOverflow(tier);
  return result;
}

function applyRow(tier: StoreParts, resident: Resident, row: Row, seq: number): void {
  tier.bodies.pin(row.rowId, row.body);
  countAdded(tier.holdings, resident, row);
  resident.partition.add(row);
  resident.unstage(row.keyHash, seq);
  tier.retention?.stored({ scope: resident.id, keyHash: row.keyHash }, textBytes(row.body));
  if (row.embedder === "") tier.needsVectors(resident);
}

/** Counts storing an unchanged entry as a use. */
function touchUnchanged(tier: StoreParts, resident: Resident, { receipts = [] }: OperationResult): void {
  if (tier.retention === undefined) return;
  for (const { outcome, key_hash } of receipts) {
    if (outcome === "unchanged") tier.retention.touched({ scope: resident.id, keyHash: key_hash });
  }
}
