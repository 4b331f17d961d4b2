import {
  matches,
  type PluginForgetRequest,
  type PluginForgetResult,
  type ScopeSelector,
} from "@membus/protocol";
import type { LogRecord } from "../journal/index.js";
import type { Resident } from "../lifecycle/index.js";
import { isExpired } from "../row.js";
import { namedSlots, PreparedFilter, prepareLook } from "../search/index.js";
import { filterableEntry } from "./retrieve/entry.js";
import { forgetResult } from "./store/store-record.js";
import type { MutationParts } from "./tier.js";

/** Rows a record: a forget of more runs in slices, between which others come in. */
const SLICE_ROWS = 2_000;

/** A version that a forget takes. */
interface Victim {
  readonly keyHash: string;
  readonly rowId: number;
}

/**
 * Forgets what matches in every selected partition; the last record holds the reply. `alreadyDeleted` is what an
 * earlier attempt of the same operation came to.
 */
export async function forget(
  tier: MutationParts,
  selector: ScopeSelector,
  request: PluginForgetRequest,
  alreadyDeleted: number,
): Promise<PluginForgetResult> {
  if (!request.dry_run) tier.forgets.forgetBegan(selector, request.filter);
  let deleted = alreadyDeleted;
  for (const scope of await tier.registry.select(selector)) {
    deleted += await tier.registry.use(scope, (resident) => forgetIn(tier, resident, request, deleted));
  }
  const at = request.op.accepted_at;
  if (!request.dry_run) await finish(tier, request, at, deleted);
  return forgetResult(tier, deleted, at);
}

async function forgetIn(
  tier: MutationParts,
  resident: Resident,
  request: PluginForgetRequest,
  before: number,
): Promise<number> {
  const filter = new PreparedFilter(request.filter);
  await tier.expiry.expireAhead(resident);
  await prepareLook(resident.partition, { words: false, filter });
  tier.expiry.expireNow(resident);
  const victims = findVictims(resident, filter, tier.clock.now());
  if (request.dry_run) return victims.length;
  const slices: Promise<void>[] = [];
  for (let at = 0; at < victims.length; at += SLICE_ROWS) {
    const slice = victims.slice(at, at + SLICE_ROWS);
    slices.push(forgetSlice(tier, resident, request, slice, before + at + slice.length));
  }
  await Promise.all(slices);
  return victims.length;
}

/** What matches now, versions included that are logged but not applied yet. */
function findVictims(resident: Resident, prepared: PreparedFilter, now: number): Victim[] {
  const { partition, staged } = resident;
  const victims: Victim[] = [];
  for (const [keyHash, { row }] of staged) {
    if (row === null || isExpired(row, now)) continue;
    if (matches(filterableEntry(row), prepared.filter)) victims.push({ keyHash, rowId: row.rowId });
  }
  const take = (slot: number) => {
    const keyHash = partition.keys.hashOf(slot);
    if (!staged.has(keyHash)) victims.push({ keyHash, rowId: partition.columns.numbers.rowId[slot]! });
  };
  const named = namedSlots(partition, prepared.filter);
  if (named !== undefined) {
    for (const slot of named) take(slot);
    return victims;
  }
  const selected = partition.select(prepared);
  for (let slot = 0; slot < selected.length; slot++) if (selected[slot] === 1) take(slot);
  return victims;
}

function forgetSlice(
  tier: MutationParts,
  resident: Resident,
  request: PluginForgetRequest,
  victims: readonly Victim[],
  deleted: number,
): Promise<void> {
  const { op } = request;
  const at = op.accepted_at;
  return tier.journal.append({
    build: () => record(request, { at, scope: resident.id, victims, deleted, done: false }),
    stage(_, seq) {
      for (const { keyHash } of victims) resident.stage(keyHash, { seq, row: null });
    },
    apply(_, seq, place) {
      resident.holdsForgotten = true;
      for (const victim of victims) {
        tier.removals.remove(resident, victim, { action: "forgotten", agent: op.agent });
        tier.bodies.drop(victim.rowId);
        resident.unstage(victim.keyHash, seq);
      }
      tier.operations.remember(op, at, place, false);
    },
  });
}

/** The reply, remembered as final: what a crash before it left is taken up by the retry. */
async function finish(
  tier: MutationParts,
  request: PluginForgetRequest,
  at: number,
  deleted: number,
): Promise<void> {
  await tier.journal.append({
    build: () => record(request, { at, scope: "", victims: [], deleted, done: true }),
    stage: () => {},
    apply: (_, _seq, place) => tier.operations.remember(request.op, at, place),
  });
}

function record(
  { op: { tenant, agent, id, digest } }: PluginForgetRequest,
  slice: {
    readonly at: number;
    readonly scope: string;
    readonly victims: readonly Victim[];
    readonly deleted: number;
    readonly done: boolean;
  },
): LogRecord {
  const { at, scope, victims, deleted, done } = slice;
  return {
    at,
    scope,
    rows: [],
    removed: victims.map((victim) => victim.rowId),
    op: { tenant, agent, id, digest, done },
    result: { deleted },
  };
}
