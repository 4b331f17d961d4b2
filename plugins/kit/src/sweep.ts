import { parseScopeId } from "@membus/protocol";
import type { DurableState } from "./open-durable.js";
import type { Resident } from "./residency/resident.js";
import { expireNow, removeRow, type Tier } from "./tier.js";

/** Scopes a sweep takes from disk because something in them has expired. */
const EXPIRED_SCOPES = 256;
const ROWS_A_RECORD = 10_000;

/** Background work: expiry, idle sessions, folding, compaction and purge. */
export async function sweep(tier: Tier, state: DurableState | undefined): Promise<void> {
  for (const resident of [...tier.registry.residents]) expireNow(tier, resident);
  endIdleScopes(tier);
  if (state === undefined) return;
  await state.folder.fold();
  for (const scope of await state.storage.expiredScopes(tier.clock.now(), EXPIRED_SCOPES)) {
    await tier.registry.use(parseScopeId(scope), (resident) => expireNow(tier, resident));
  }
  const purge = await removeExpired(tier);
  await state.folder.fold();
  await state.storage.maintain({ purge: purge || state.folder.takeRemoved() });
}

/** Logs that expired rows are gone, so that storage drops them too. */
async function removeExpired(tier: Tier): Promise<boolean> {
  const expired = [...tier.expired];
  tier.expired.clear();
  for (const [scope, rowIds] of expired) {
    for (let at = 0; at < rowIds.length; at += ROWS_A_RECORD) {
      const removed = rowIds.slice(at, at + ROWS_A_RECORD);
      await tier.journal.append({
        build: () => ({ at: tier.clock.now(), scope, rows: [], removed }),
        stage: () => {},
        apply: () => {},
      });
    }
  }
  return expired.length > 0;
}

function endIdleScopes(tier: Tier): void {
  for (const scope of tier.retention?.idleScopes(tier.clock.now()) ?? []) {
    const resident = tier.registry.peek(scope);
    if (resident !== undefined && resident.users === 0) endScope(tier, resident);
  }
}

function endScope(tier: Tier, resident: Resident): void {
  const { columns, keys } = resident.partition;
  const versions: { keyHash: string; rowId: number }[] = [];
  for (let slot = 0; slot < columns.count; slot++) {
    if (columns.alive[slot] === 1)
      versions.push({ keyHash: keys.hashOf(slot), rowId: columns.rowIds[slot]! });
  }
  for (const version of versions) removeRow(tier, resident, version, { action: "expired" });
  tier.registry.dropEmpty(resident);
}
