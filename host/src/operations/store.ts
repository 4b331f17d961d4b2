import {
  type Caller,
  DEFAULTS,
  errorFields,
  type MemoryError,
  type MemoryKey,
  type MemoryTier,
  type Scope,
  type StoreEnvelope,
  type StoreReceipt,
  scopeOf,
} from "@membus/protocol";
import type { PluginStoreResult, StoreItem } from "@membus/protocol/plugin";
import type { AccessRules } from "../access-rules.js";
import type { Outcome } from "../outcome.js";
import { type Reply, replyTooLarge } from "../replies/index.js";
import {
  checkNamespace,
  operationOf,
  type RequestContext,
  type Runtime,
  withinPluginTimeout,
} from "./runtime.js";
import { type BatchError, readBatch, type StoreBatch } from "./store-batch.js";
import { requireSubjectTier } from "./subject-tier.js";

/** Feature that a tier must offer if the caller may overwrite only its own entries. */
const OWN_ONLY: readonly string[] = ["own_only"];

/** Entries to store in one tier, and the outcome. */
interface StoreCall {
  readonly items: readonly StoreItem[];
  readonly outcome: Promise<Outcome<PluginStoreResult>>;
}

/**
 * Stores the valid entries with one call per tier. Errors affect only their own entries: a tier that is down
 * or full returns one error per entry, which states whether a retry is useful (clause STORE-2).
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
  const required = [...(request.requires ?? []), ...(request.ack === "queued" ? ["queued"] : [])];
  const selected = { namespace, subtree: false };
  const mayOverwriteOnlyOwn = overwritesOnlyOwn(runtime.rules, context.caller, namespace);
  const requireWrite = (tier: MemoryTier) => {
    requireSubjectTier(context.tier, tier);
    if (!mayOverwriteOnlyOwn(tier)) return [];
    runtime.rules.require({ caller: context.caller, tier, selected }, "write_own");
    return OWN_ONLY;
  };
  const tierByDefault = context.tier ?? "working";
  const rules = { tiers, embedder, requireWrite, tierByDefault, required, acceptedAt, messageBytes };
  const batch = readBatch(request.entries, rules);
  checkReplyFits(batch, context, runtime.replyBytesMax());
  const calls = batch.byTier.size === 0 ? [] : joinCalls(runtime, context, request, batch);
  const settled: SettledCall[] = [];
  for (const { items, outcome } of calls) {
    settled.push({ items, outcome: await withinPluginTimeout(runtime, context, outcome) });
  }
  return storeReply(runtime, context.id, batch.errors, settled);
}

/** Returns a function that reports whether the caller may overwrite only its own entries of a tier. */
function overwritesOnlyOwn(
  rules: AccessRules,
  caller: Caller,
  namespace: string,
): (tier: MemoryTier) => boolean {
  const selected = { namespace, subtree: false };
  return (tier) => !rules.allows({ caller, tier, selected }, "write");
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
  const mayOverwriteOnlyOwn = overwritesOnlyOwn(runtime.rules, caller, namespace);
  const start = (tier: MemoryTier, scope: Scope, entries: readonly StoreItem[]): StoreCall => {
    const plan = { op, ack, entries, ...(mayOverwriteOnlyOwn(tier) && { own_only: true as const }) };
    const call = runtime.tiers.get(tier)!.store(scope, plan, deadlineAt);
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

/** Returns the error of one entry, as store and status report it. */
export function entryError(index: number, key: MemoryKey | null, error: MemoryError) {
  return { index, key, ...errorFields(error) };
}

/** Returns a receipt, as store and status report it. */
export function receiptFields({ index, key_hash, outcome, revision }: StoreReceipt, event_id?: string) {
  return { index, key_hash, outcome, revision, event_id };
}

export function byIndex(a: { readonly index: number }, b: { readonly index: number }): number {
  return a.index - b.index;
}

/** Maximum bytes of a store reply without its receipts and errors. */
const ENVELOPE_BYTES_MAX = 1_024;

/** Maximum bytes of one receipt or error without its key. */
const ENTRY_BYTES_MAX = 1_024;

/** Maximum bytes of a receipt without the request id. */
const RECEIPT_BYTES_MAX = 170;

/** Bytes reserved for a plugin error in place of a receipt, without the key. */
const PLUGIN_ERROR_BYTES = 280;

/**
 * Refuses a store if its reply might not fit into a message, because the reply repeats every key. After
 * storing, an error would wrongly report that nothing was stored.
 * @throws {MemoryError} `too_large`.
 */
function checkReplyFits(
  { byTier, errors }: StoreBatch,
  request: { readonly id: string; readonly messageBytes: number },
  maxBytes: number,
): void {
  const tiers = [...byTier.values()];
  const itemCount = sum(tiers.map(({ size }) => size));
  // The keys are part of the message, so for most messages this estimate is enough.
  const upperBound =
    ENVELOPE_BYTES_MAX + (itemCount + errors.length) * ENTRY_BYTES_MAX + request.messageBytes;
  if (upperBound <= maxBytes) return;
  const receiptBytes = Math.max(RECEIPT_BYTES_MAX + Buffer.byteLength(request.id), PLUGIN_ERROR_BYTES);
  const keys = tiers.flatMap((items) => [...items.values()].map(({ key }) => key));
  const refused = errors.map(({ index, key, error }) => entryError(index, key, error));
  const bytes = ENVELOPE_BYTES_MAX + itemCount * receiptBytes + sum([...keys, ...refused].map(jsonBytes));
  if (bytes > maxBytes) throw replyTooLarge(maxBytes, bytes);
}

function jsonBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
