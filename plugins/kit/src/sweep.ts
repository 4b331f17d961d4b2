import { parseScopeId } from "@membus/protocol";
import type { DurableState } from "./open-durable.js";
import type { Resident } from "./residency/resident.js";
import { expireNow, removeRow, type Tier } from "./tier.js";

/** Scopes that one sweep takes from disk because something in them has expired. */
const EXPIRED_SCOPES = 256;
const ROWS_A_RECORD = 10_000;

/** Background work of a tier: expiry and idle sessions at every run; purge of the disk now and then. */
export class Sweeper {
  #purgedAt: number;

  constructor(
    readonly tier: Tier,
    readonly state: DurableState | undefined,
    /** Seconds between two looks at the disk. */
    readonly purgeIntervalS: number,
  ) {
    this.#purgedAt = tier.clock.now();
  }

  async run(): Promise<void> {
    const { tier, state } = this;
    for (const resident of [...tier.registry.residents]) expireNow(tier, resident);
    endIdleScopes(tier);
    if (state === undefined) return;
    const now = tier.clock.now();
    if (now < this.#purgedAt + this.purgeIntervalS) return;
    this.#purgedAt = now;
    await purge(tier, state);
  }
}

/** What was forgotten, superseded or has expired goes from disk, and what is left is compacted. */
async function purge(tier: Tier, state: DurableState): Promise<void> {
  for (const scope of await state.storage.expiredScopes(tier.clock.now(), EXPIRED_SCOPES)) {
    await tier.registry.use(parseScopeId(scope), (resident) => expireNow(tier, resident));
  }
  await logExpired(tier);
  await state.folder.fold();
  await state.storage.maintain({ purge: state.folder.takeRemoved() });
  await state.folder.trimLog();
}

/** Logs that expired rows are gone, so that storage drops them too. */
async function logExpired(tier: Tier): Promise<void> {
  for (const [scope, rowIds] of tier.expired) {
    for (let at = 0; at < rowIds.length; at += ROWS_A_RECORD) {
      const removed = rowIds.slice(at, at + ROWS_A_RECORD);
      await tier.journal.append({
        build: () => ({ at: tier.clock.now(), scope, rows: [], removed }),
        stage: () => {},
        apply: () => {},
      });
    }
    tier.expired.delete(scope);
  }
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
