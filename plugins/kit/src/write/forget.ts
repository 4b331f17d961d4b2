import {
  matches,
  type PluginForgetRequest,
  type PluginForgetResult,
  type ScopeSelector,
} from "@membus/protocol";
import type { LogRecord } from "../journal/record.js";
import { filterSubject } from "../read/entry.js";
import type { Resident } from "../residency/resident.js";
import { expireNow, removeRow, type Tier } from "../tier.js";

/** Rows a record: a forget of more runs in slices. */
const SLICE_ROWS = 10_000;

/** A version that a forget takes. */
interface Victim {
  readonly keyHash: string;
  readonly rowId: number;
}

/** Forgets what matches in every selected partition; the last record holds the reply. */
export async function forget(
  tier: Tier,
  selector: ScopeSelector,
  request: PluginForgetRequest,
  alreadyDeleted: number,
): Promise<PluginForgetResult> {
  if (!request.dry_run) tier.forgets.forgetBegan(selector, request.filter);
  let deleted = alreadyDeleted;
  for (const scope of await tier.registry.select(selector)) {
    deleted += await tier.registry.use(scope, (resident) => forgetIn(tier, resident, request, deleted));
  }
  if (!request.dry_run) await finish(tier, request, deleted);
  return { deleted, purge: tier.durable ? "scheduled" : "done" };
}

async function forgetIn(
  tier: Tier,
  resident: Resident,
  request: PluginForgetRequest,
  before: number,
): Promise<number> {
  expireNow(tier, resident);
  const victims = findVictims(resident, request);
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
function findVictims(resident: Resident, { filter }: PluginForgetRequest): Victim[] {
  const { partition, staged } = resident;
  const victims: Victim[] = [];
  for (const [keyHash, row] of staged) {
    if (row !== null && matches(filterSubject(row), filter)) victims.push({ keyHash, rowId: row.rowId });
  }
  const selected = partition.select(filter);
  for (let slot = 0; slot < selected.length; slot++) {
    if (selected[slot] === 0) continue;
    const keyHash = partition.keys.hashOf(slot);
    if (!staged.has(keyHash)) victims.push({ keyHash, rowId: partition.columns.rowIds[slot]! });
  }
  return victims;
}

function forgetSlice(
  tier: Tier,
  resident: Resident,
  request: PluginForgetRequest,
  victims: readonly Victim[],
  deleted: number,
): Promise<void> {
  const { op } = request;
  return tier.journal.append({
    build: () => record(request, { scope: resident.id, victims, deleted, done: false }),
    stage: () => {
      for (const { keyHash } of victims) resident.stage(keyHash, null);
    },
    apply: (_, place) => {
      for (const victim of victims) {
        removeRow(tier, resident, victim, { action: "forgotten", agent: op.agent });
        tier.bodies.drop(victim.rowId);
        resident.unstage(victim.keyHash, null);
      }
      tier.operations.remember(op, op.accepted_at, place, false);
      tier.registry.dropEmpty(resident);
    },
  });
}

/** The reply, remembered as final: what a crash before it left is taken up by the retry. */
async function finish(tier: Tier, request: PluginForgetRequest, deleted: number): Promise<void> {
  await tier.journal.append({
    build: () => record(request, { scope: "", victims: [], deleted, done: true }),
    stage: () => {},
    apply: (_, place) => tier.operations.remember(request.op, request.op.accepted_at, place),
  });
}

function record(
  { op }: PluginForgetRequest,
  slice: {
    readonly scope: string;
    readonly victims: readonly Victim[];
    readonly deleted: number;
    readonly done: boolean;
  },
): LogRecord {
  const { tenant, agent, id, digest } = op;
  return {
    at: op.accepted_at,
    scope: slice.scope,
    rows: [],
    removed: slice.victims.map((victim) => victim.rowId),
    op: { tenant, agent, id, digest, done: slice.done },
    result: { deleted: slice.deleted },
  };
}
