import type { PluginForgetRequest, PluginForgetResult, ScopeSelector } from "@membus/protocol";
import type { LogRecord, OperationResult } from "../journal/index.js";
import { CascadeSearch, type Doomed } from "./cascade-search.js";
import { type CascadeTurn, isLater } from "./forget-order.js";
import { versionOf } from "./store/previous.js";
import { forgetResult } from "./store/store-record.js";
import type { MutationParts } from "./tier.js";
import { removeVictim } from "./victims.js";

/**
 * Forgets the matching entries and the entries derived from them. All are found first, then one record
 * removes them atomically, for readers and after a crash.
 * @throws {MemoryError} `too_large` if there are more than one record may remove.
 */
export async function cascade(
  tier: MutationParts,
  selector: ScopeSelector,
  request: PluginForgetRequest,
): Promise<PluginForgetResult> {
  const turn = await tier.forgets.cascadeBegan();
  const search = new CascadeSearch(tier, selector, request, turn);
  try {
    const doomed = await search.find();
    const now = () => doomed.flatMap((one) => currentOf(one, turn));
    const result = request.dry_run ? resultOf(now()) : await take(tier, request, now);
    return forgetResult(tier, result, request.op.accepted_at);
  } finally {
    search.end();
    tier.forgets.cascadeEnded(turn);
  }
}

/**
 * Removes the remaining matches in one record. It is applied in one turn of the event loop, which takes 0.06
 * s for 10,000 versions.
 */
async function take(
  tier: MutationParts,
  request: PluginForgetRequest,
  now: () => readonly Doomed[],
): Promise<OperationResult> {
  const { op } = request;
  const at = op.accepted_at;
  let taken: readonly Doomed[] = [];
  await tier.journal.append({
    build() {
      taken = now();
      return record(request, taken);
    },
    stage(_, seq) {
      for (const { resident, keyHash } of taken) resident.stage(keyHash, { seq, row: null });
    },
    apply(_, seq, place) {
      for (const one of taken) removeVictim(tier, one.resident, one, { seq, agent: op.agent });
      tier.operations.remember(op, at, place);
    },
  });
  return resultOf(taken);
}

/**
 * Returns the current row of a match. Empty if it was removed, or written by a later store. A version that
 * was rewritten with its vector has another row id.
 */
function currentOf(one: Doomed, turn: CascadeTurn): Doomed[] {
  const current = versionOf(one.resident, one.keyHash);
  const isLeft = current?.revision === one.revision && !isLater(turn, one);
  return isLeft ? [{ ...one, rowId: current.rowId }] : [];
}

function record({ op }: PluginForgetRequest, taken: readonly Doomed[]): LogRecord {
  const { tenant, agent, id, digest, accepted_at: at } = op;
  const byScope = new Map<string, number[]>();
  for (const { resident, rowId } of taken) {
    const removed = byScope.get(resident.id);
    if (removed === undefined) byScope.set(resident.id, [rowId]);
    else removed.push(rowId);
  }
  return {
    ...{ at, scope: "", rows: [], removed: [] },
    elsewhere: [...byScope].map(([scope, removed]) => ({ scope, removed })),
    op: { tenant, agent, id, digest, done: true },
    result: resultOf(taken),
  };
}

function resultOf(taken: readonly Doomed[]): OperationResult {
  const cascaded: number[] = [];
  for (const { level } of taken) if (level > 0) cascaded[level - 1] = (cascaded[level - 1] ?? 0) + 1;
  return { deleted: taken.length, cascaded: Array.from(cascaded, (count) => count ?? 0) };
}
