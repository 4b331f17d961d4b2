import type { RowPage } from "@membus/plugin-kit";
import { MemoryError, type Scope, scopeId } from "@membus/protocol";
import type { OnProgress } from "../terminal/task-progress.js";
import { DURABLE_TIERS, type DurableTier, type EntryStore } from "./entry-store.js";

export interface CopyReport {
  readonly tenants: number;
  /** Namespaces of all agents, and shared ones. */
  readonly namespaces: number;
  readonly entries: number;
  /** Entries that the target already had, in the same revision or a later one. */
  readonly kept: number;
}

interface ScopedTier {
  readonly tier: DurableTier;
  readonly scope: Scope;
}

/**
 * Copies all entries and then reads them again, to verify that the target has each one in the same or a later revision. It can be
 * repeated after an interruption: entries that are there are kept.
 *
 * @throws {MemoryError} `conflict` if the target has another entry with the same revision, or lacks one after the copy. Else as in
 * the stores.
 */
export async function copyEntries(
  from: EntryStore,
  to: EntryStore,
  onProgress: OnProgress = () => {},
): Promise<CopyReport> {
  const all: ScopedTier[] = [];
  for (const tier of DURABLE_TIERS) for await (const scope of from.scopes(tier)) all.push({ tier, scope });
  const tenants = new Set(all.map(({ scope }) => scope.tenant));
  const total = 2 * all.length;
  let entries = 0;
  let kept = 0;
  for (const [index, one] of all.entries()) {
    await eachPage(one, from, async (rows) => {
      const { keptCount } = await to.write(one.tier, one.scope, rows);
      entries += rows.length;
      kept += keptCount;
    });
    onProgress(index + 1, total, `copying tenant ${one.scope.tenant}`);
  }
  for (const [index, one] of all.entries()) {
    await verifyScope(one, from, to);
    onProgress(all.length + index + 1, total, `verifying tenant ${one.scope.tenant}`);
  }
  return { tenants: tenants.size, namespaces: all.length, entries, kept };
}

type UseRows = (rows: RowPage["rows"]) => Promise<void>;

async function eachPage({ tier, scope }: ScopedTier, from: EntryStore, use: UseRows): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { rows, next }: RowPage = await from.read(tier, scope, after);
    if (rows.length > 0) await use(rows);
    after = next;
  }
}

/** Looks for each entry. A target that no agent uses gets those that have changed since they were copied. */
async function verifyScope(one: ScopedTier, from: EntryStore, to: EntryStore): Promise<void> {
  const { tier, scope } = one;
  await eachPage(one, from, async (rows) => {
    if ((await to.countMissing(tier, scope, rows)) === 0) return;
    if (!to.isServed) await to.write(tier, scope, rows);
    const missingCount = await to.countMissing(tier, scope, rows);
    if (missingCount > 0) throw missingError(missingCount, scope);
  });
}

function missingError(count: number, scope: Scope): MemoryError {
  const message = `the target lacks ${count} entries of ${scopeId(scope)}: agents have forgotten them there since, or the copy is incomplete`;
  return new MemoryError("conflict", message, { reason: "copy_incomplete" });
}
