import type { ScopeSelector } from "@membus/protocol";
import type { PluginForgetRequest, PluginForgetResult } from "@membus/protocol/plugin";
import type { LogRecord, OperationResult } from "../journal/index.js";
import { type CascadeMatch, CascadeSearch } from "./cascade-search.js";
import { removeMatch } from "./forget-matches.js";
import { isLater, type RunningCascade } from "./forget-order.js";
import { versionOf } from "./store/previous.js";
import { forgetResult } from "./store/store-record.js";
import type { MutationParts } from "./tier.js";

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
  const turn = await tier.forgets.cascadeStarted();
  const search = new CascadeSearch(tier, selector, request, turn);
  try {
    const matches = await search.find();
    const now = () => matches.flatMap((one) => currentMatch(one, turn));
    const result = request.dry_run ? resultOf(now()) : await removeMatches(tier, request, now);
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
async function removeMatches(
  tier: MutationParts,
  request: PluginForgetRequest,
  now: () => readonly CascadeMatch[],
): Promise<OperationResult> {
  const { op } = request;
  const at = op.accepted_at;
  let taken: readonly CascadeMatch[] = [];
  await tier.journal.append({
    build() {
      taken = now();
      return record(request, taken);
    },
    stage(_, seq) {
      for (const { loaded, keyHash } of taken) loaded.stage(keyHash, { seq, row: null });
    },
    apply(_, seq, place) {
      for (const one of taken) removeMatch(tier, one.loaded, one, { seq, agent: op.agent });
      tier.operations.remember(op, at, place);
    },
  });
  return resultOf(taken);
}

/**
 * Returns the current row of a match. Empty if it was removed, or written by a later store. A version that
 * was rewritten with its vector has another row id.
 */
function currentMatch(one: CascadeMatch, turn: RunningCascade): CascadeMatch[] {
  const current = versionOf(one.loaded, one.keyHash);
  const isLeft = current?.revision === one.revision && !isLater(turn, one);
  return isLeft ? [{ ...one, rowId: current.rowId }] : [];
}

function record({ op }: PluginForgetRequest, taken: readonly CascadeMatch[]): LogRecord {
  const { tenant, agent, id, digest, accepted_at: at } = op;
  const byScope = new Map<string, number[]>();
  for (const { loaded, rowId } of taken) {
    const removed = byScope.get(loaded.id);
    if (removed === undefined) byScope.set(loaded.id, [rowId]);
    else removed.push(rowId);
  }
  return {
    ...{ at, scope: "", rows: [], removed: [] },
    scopeRemovals: [...byScope].map(([scope, removed]) => ({ scope, removed })),
    op: { tenant, agent, id, digest, done: true },
    result: resultOf(taken),
  };
}

function resultOf(taken: readonly CascadeMatch[]): OperationResult {
  const cascaded: number[] = [];
  for (const { level } of taken) if (level > 0) cascaded[level - 1] = (cascaded[level - 1] ?? 0) + 1;
  return { deleted: taken.length, cascaded: Array.from(cascaded, (count) => count ?? 0) };
}
