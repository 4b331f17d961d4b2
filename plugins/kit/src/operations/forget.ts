import { type ScopeSelector, scopeId } from "@membus/protocol";
import type { PluginForgetRequest, PluginForgetResult } from "@membus/protocol/plugin";
import type { LogRecord, OperationResult } from "../journal/index.js";
import type { LoadedPartition } from "../lifecycle/index.js";
import { cascade } from "./cascade.js";
import { type ForgetMatch, findMatches, prepareFind, removeMatch } from "./forget-matches.js";
import { forgetResult } from "./store/store-record.js";
import type { MutationParts } from "./tier.js";

/** Rows per record. A larger forget runs in slices, so that other requests run in between. */
const SLICE_ROWS = 2_000;

/**
 * Forgets the matching entries in every selected partition. The last record has the reply. `earlier` is the
 * result of an earlier attempt of the same operation. The partitions that it completed keep their later entries.
 */
export async function forget(
  tier: MutationParts,
  selector: ScopeSelector,
  request: PluginForgetRequest,
  earlier: Pick<OperationResult, "deleted" | "through"> = {},
): Promise<PluginForgetResult> {
  if (request.cascade) return cascade(tier, selector, request);
  const { deleted = 0, through = "" } = earlier;
  const attempt: Attempt = { request, deleted, through };
  if (!request.dry_run) tier.forgets.forgetStarted(selector, request.filter, through);
  const scopes = (await tier.registry.select(selector)).filter((scope) => scopeId(scope) > through);
  let isDone = request.dry_run;
  for (const [index, scope] of scopes.entries()) {
    const isLast = index === scopes.length - 1;
    isDone = await tier.registry.use(scope, (loaded) => forgetIn(tier, loaded, attempt, isLast));
  }
  if (!isDone) await finish(tier, attempt);
  return forgetResult(tier, { deleted: attempt.deleted }, request.op.accepted_at);
}

interface Attempt {
  readonly request: PluginForgetRequest;
  /** Entries deleted so far, by all attempts. */
  deleted: number;
  /** See `OperationResult`. */
  through: string;
}

/**
 * Returns whether the forget is done. If one slice has the entries of the last partition, it has the final reply, so
 * both take effect at once. One of several slices may be refused, so none of them completes its partition.
 */
async function forgetIn(
  tier: MutationParts,
  loaded: LoadedPartition,
  attempt: Attempt,
  isLast: boolean,
): Promise<boolean> {
  const { request } = attempt;
  const filter = await prepareFind(tier, loaded, request.filter);
  const matches = findMatches(tier, loaded, filter);
  if (request.dry_run) {
    attempt.deleted += matches.length;
    return true;
  }
  const isOneSlice = matches.length > 0 && matches.length <= SLICE_ROWS;
  const done = isLast && isOneSlice;
  if (isOneSlice) attempt.through = loaded.id;
  const slices: Promise<void>[] = [];
  for (let at = 0; at < matches.length; at += SLICE_ROWS) {
    const slice = matches.slice(at, at + SLICE_ROWS);
    attempt.deleted += slice.length;
    slices.push(forgetSlice(tier, loaded, attempt, { matches: slice, done }));
  }
  await Promise.all(slices);
  attempt.through = loaded.id;
  return done;
}

interface Slice {
  readonly matches: readonly ForgetMatch[];
  readonly done: boolean;
}

function forgetSlice(
  tier: MutationParts,
  loaded: LoadedPartition,
  attempt: Attempt,
  { matches, done }: Slice,
): Promise<void> {
  const { op } = attempt.request;
  const at = op.accepted_at;
  const logged = record(attempt, { scope: loaded.id, matches, done });
  return tier.journal.append({
    build: () => logged,
    stage(_, seq) {
      for (const { keyHash } of matches) loaded.stage(keyHash, { seq, row: null });
    },
    apply(_, seq, place) {
      for (const match of matches) removeMatch(tier, loaded, match, { seq, agent: op.agent });
      tier.operations.remember(op, at, place, done);
    },
  });
}

/** Logs the final reply of a forget that no slice has. If a crash occurs before it, the retry continues. */
async function finish(tier: MutationParts, attempt: Attempt): Promise<void> {
  const { op } = attempt.request;
  await tier.journal.append({
    build: () => record(attempt, { scope: "", matches: [], done: true }),
    stage: () => {},
    apply: (_, _seq, place) => tier.operations.remember(op, op.accepted_at, place),
  });
}

function record(
  { request, deleted, through }: Attempt,
  { scope, matches, done }: Slice & { readonly scope: string },
): LogRecord {
  const { tenant, agent, id, digest, accepted_at: at } = request.op;
  return {
    ...{ at, scope, rows: [], removed: matches.map((match) => match.rowId) },
    op: { tenant, agent, id, digest, done },
    result: { deleted, ...(!done && { through }) },
  };
}
