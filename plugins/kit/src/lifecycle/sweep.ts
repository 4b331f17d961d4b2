import { parseScopeId } from "@membus/protocol";
import { expireAhead } from "./expire.js";
import type { DurableState } from "../open-durable.js";
import type { Resident } from "./residency/resident.js";
import { Stretch } from "../stretch.js";
import { removeRow, type Tier } from "../tier.js";

/** Scopes a sweep takes from disk because something in them has expired. */
const EXPIRED_SCOPES = 256;
const ROWS_A_RECORD = 10_000;
/** Postings looked at at a stretch: about a millisecond. */
const POSTINGS_STRETCH = 100_000;

/** Background work: expiry, idle sessions, folding, compaction and purge. */
export async function sweep(tier: Tier, state: DurableState | undefined): Promise<void> {
  const stretch = new Stretch();
  for (const resident of [...tier.registry.residents]) {
    if (tier.registry.peek(resident.id) === resident) await expireAhead(tier, resident);
    await stretch.rest();
  }
  endIdleSessions(tier);
  await clearForgotten(tier);
  if (state === undefined) return;
  await state.folder.fold();
  for (const scope of await state.storage.expiredScopes(tier.clock.now(), EXPIRED_SCOPES)) {
    await tier.registry.use(parseScopeId(scope), (resident) => expireAhead(tier, resident));
  }
  await logExpired(tier);
  await state.folder.fold();
  await state.maintain();
}

/** Takes what was forgotten out of words and attributes too. */
async function clearForgotten(tier: Tier): Promise<void> {
  for (const resident of [...tier.registry.residents]) {
    if (!resident.holdsForgotten) continue;
    resident.holdsForgotten = false;
    for (const _step of resident.partition.clearDead(POSTINGS_STRETCH)) await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
}

/** Logs that expired rows are gone, so that storage drops them too. Those of a failed attempt wait for the next. */
async function logExpired(tier: Tier): Promise<void> {
  for (const [scope, rowIds] of [...tier.expired]) {
    while (rowIds.length > 0) {
      const removed = rowIds.slice(0, ROWS_A_RECORD);
      await tier.journal.append({
        build: () => ({ at: tier.clock.now(), scope, rows: [], removed }),
        stage: () => {},
        apply: () => rowIds.splice(0, removed.length),
      });
    }
    tier.expired.delete(scope);
  }
}

function endIdleSessions(tier: Tier): void {
  if (tier.retention === undefined) return;
  const residents = [...tier.registry.residents];
  const usedAt = new Map<string, number>();
  for (const resident of residents) {
    const { session } = resident;
    const latest = resident.users > 0 ? Number.POSITIVE_INFINITY : resident.usedAt;
    usedAt.set(session, Math.max(latest, usedAt.get(session) ?? 0));
  }
  const idleSince = tier.clock.now() - tier.retention.idleS;
  for (const resident of residents) {
    if (usedAt.get(resident.session)! <= idleSince) endScope(tier, resident);
  }
}

function endScope(tier: Tier, resident: Resident): void {
  const { columns, keys } = resident.partition;
  const live = [...columns.live(resident.partition.liveCount)];
  const versions = live.map((slot) => ({ keyHash: keys.hashOf(slot), rowId: columns.rowIds[slot]! }));
  for (const version of versions) removeRow(tier, resident, version, { action: "expired" });
  tier.registry.dropEmpty(resident);
}
