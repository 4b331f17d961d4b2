import {
  DEFAULTS,
  type MemoryKey,
  type MemoryTier,
  type PluginStoreResult,
  type Scope,
  type StoreEnvelope,
  type StoreItem,
  type StoreReceipt,
  scopeOf,
} from "@membus/protocol";
import { operationOf } from "./operation.js";
import type { Outcome } from "./outcome.js";
import { byIndex, entryError, receiptFields } from "./receipts.js";
import { checkReplyFits } from "./reply-room.js";
import {
  checkNamespace,
  type Reply,
  type RequestContext,
  type Runtime,
  withinPluginTimeout,
} from "./runtime.js";
import { type BatchError, readBatch, type StoreBatch } from "./store-batch.js";

/** What one tier is to store, and what became of it. */
interface StoreCall {
  readonly items: readonly StoreItem[];
  readonly outcome: Promise<Outcome<PluginStoreResult>>;
}

/**
 * Stores the entries that are in order, each tier's in one call. What fails, fails for its own entries: also a tier
 * that is down or full answers with one error per entry, which says whether it is worth a retry (clause STORE-2).
 */
export async function store(
  runtime: Runtime,
  context: RequestContext,
  request: StoreEnvelope,
): Promise<Reply> {
  const namespace = request.namespace ?? DEFAULTS.namespace;
  checkNamespace(runtime, context.caller, namespace, "store");
  const { tiers, embedder } = runtime;
  const { acceptedAt, messageBytes } = context;
  const demanded = [...(request.requires ?? []), ...(request.ack === "queued" ? ["queued"] : [])];
  const batch = readBatch(request.entries, { tiers, embedder, demanded, acceptedAt, messageBytes });
  checkReplyFits(batch, context, runtime.replyBytesMax());
  const calls = batch.byTier.size === 0 ? [] : joinCalls(runtime, context, request, batch);
  const settled: SettledCall[] = [];
  for (const { items, outcome } of calls) {
    settled.push({ items, outcome: await withinPluginTimeout(runtime, context, outcome) });
  }
  return storeReply(runtime, context.id, batch.errors, settled);
}

function joinCalls(
  runtime: Runtime,
  context: RequestContext,
  request: StoreEnvelope,
  batch: StoreBatch,
): readonly StoreCall[] {
  const { caller, deadlineAt } = context;
  const op = operationOf(context, request);
  const namespace = request.namespace ?? DEFAULTS.namespace;
  const ack = request.ack ?? "stored";
  const start = (tier: MemoryTier, scope: Scope, entries: readonly StoreItem[]): StoreCall => {
    const call = runtime.tiers.get(tier)!.store(scope, { op, ack, entries }, deadlineAt);
    const outcome = call.then((result) => {
      if (result.ok) runtime.events.stored(scope, op, entries, result.value.receipts);
      return result;
    });
    return { items: entries, outcome };
  };
  return runtime.inFlight.join(request.type, op, () =>
    [...batch.byTier].map(([tier, items]) =>
      start(tier, scopeOf(tier, caller, namespace), [...items.values()]),
    ),
  );
}

interface SettledCall {
  readonly items: readonly StoreItem[];
  readonly outcome: Outcome<PluginStoreResult>;
}

function storeReply(
  runtime: Runtime,
  requestId: string,
  refused: readonly BatchError[],
  calls: readonly SettledCall[],
): Reply {
  const stored: { readonly key: MemoryKey; readonly receipt: StoreReceipt }[] = [];
  const errors: BatchError[] = [...refused];
  for (const { items, outcome } of calls) {
    if (!outcome.ok) {
      errors.push(...items.map(({ index, key }) => ({ index, key, error: outcome.error })));
      continue;
    }
    const keys = new Map(items.map(({ index, key }) => [index, key]));
    for (const receipt of outcome.value.receipts) stored.push({ receipt, key: keys.get(receipt.index)! });
    for (const { index, error } of outcome.value.errors) errors.push({ index, key: keys.get(index)!, error });
  }
  if (stored.length > 1) stored.sort((a, b) => byIndex(a.receipt, b.receipt));
  if (errors.length > 1) errors.sort(byIndex);
  const written = stored.filter(({ receipt }) => receipt.outcome !== "superseded");
  const fields = {
    stored: written.map(({ key }) => key),
    errors: errors.map(({ index, key, error }) => entryError(index, key, error)),
    receipts: stored.map(({ receipt }) => receiptFields(receipt, runtime.events.idOf(requestId, receipt))),
  };
  return { fields, counts: { stored: written.length, errors: errors.length } };
}
