import type { ScopeSelector } from "@membus/protocol";
import type { PluginForgetRequest, PluginForgetResult } from "@membus/protocol/plugin";
import type { LogRecord } from "../journal/index.js";
import type { LoadedPartition } from "../lifecycle/index.js";
import { cascade } from "./cascade.js";
import { type ForgetMatch, findMatches, prepareFind, removeMatch } from "./forget-matches.js";
import { forgetResult } from "./store/store-record.js";
import type { MutationParts } from "./tier.js";

/** Rows per record. A larger forget runs in slices, so that other requests run in between. */
const SLICE_ROWS = 2_000;

/**
 * Forgets the matching entries in every selected partition. The last record has the reply. `alreadyDeleted`
 * is the result of an earlier attempt of the same operation.
 */
export async function forget(
  tier: MutationParts,
  selector: ScopeSelector,
  request: PluginForgetRequest,
  alreadyDeleted: number,
): Promise<PluginForgetResult> {
  if (request.cascade) return cascade(tier, selector, request);
  if (!request.dry_run) tier.forgets.forgetStarted(selector, request.filter);
  let deleted = alreadyDeleted;
  let isDone = request.dry_run;
  const scopes = [...(await tier.registry.select(selector))];
  for (const [index, scope] of scopes.entries()) {
    const isLast = index === scopes.length - 1;
    const progress = { deleted, isLast };
    const count = await tier.registry.use(scope, (loaded) => forgetIn(tier, loaded, request, progress));
    deleted += count;
    isDone ||= isLast && isOneSlice(count);
  }
  const at = request.op.accepted_at;
  if (!isDone) await finish(tier, request, at, deleted);
  return forgetResult(tier, { deleted }, at);
}

interface Progress {
  /** Entries deleted in earlier partitions. */
  readonly deleted: number;
  /** Whether this is the last partition. If one slice holds its entries, it has the final reply, so both take effect at once. */
  readonly isLast: boolean;
}

/** One of several slices may be refused, so none of them has the final reply. */
function isOneSlice(count: number): boolean {
  return count > 0 && count <= SLICE_ROWS;
}

async function forgetIn(
  tier: MutationParts,
  loaded: LoadedPartition,
  request: PluginForgetRequest,
  { deleted, isLast }: Progress,
): Promise<number> {
  const filter = await prepareFind(tier, loaded, request.filter);
  const matches = findMatches(tier, loaded, filter);
  if (request.dry_run) return matches.length;
  const done = isLast && isOneSlice(matches.length);
  const slices: Promise<void>[] = [];
  for (let at = 0; at < matches.length; at += SLICE_ROWS) {
    const slice = matches.slice(at, at + SLICE_ROWS);
    const progress = { matches: slice, deleted: deleted + at + slice.length, done };
    slices.push(forgetSlice(tier, loaded, request, progress));
  }
  await Promise.all(slices);
  return matches.length;
}

interface Slice {
  readonly matches: readonly ForgetMatch[];
  /** Entries deleted so far, including this slice. */
  readonly deleted: number;
  readonly done: boolean;
}

function forgetSlice(
  tier: MutationParts,
  loaded: LoadedPartition,
  request: PluginForgetRequest,
  { matches, deleted, done }: Slice,
): Promise<void> {
  const { op } = request;
  const at = op.accepted_at;
  return tier.journal.append({
    build: () => record(request, { at, scope: loaded.id, matches, deleted, done }),
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
async function finish(
  tier: MutationParts,
  request: PluginForgetRequest,
  at: number,
  deleted: number,
): Promise<void> {
  await tier.journal.append({
    build: () => record(request, { at, scope: "", matches: [], deleted, done: true }),
    stage: () => {},
    apply: (_, _seq, place) => tier.operations.remember(request.op, at, place),
  });
}

function record(
  { op: { tenant, agent, id, digest } }: PluginForgetRequest,
  slice: Slice & { readonly at: number; readonly scope: string },
): LogRecord {
  const { at, scope, matches, deleted, done } = slice;
  return {
    at,
    scope,
    rows: [],
    removed: matches.map((match) => match.rowId),
    op: { tenant, agent, id, digest, done },
    result: { deleted },
  };
}
