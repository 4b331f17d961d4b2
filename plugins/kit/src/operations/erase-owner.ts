import type { Filter } from "@membus/protocol";
import type { LoadedPartition } from "../lifecycle/index.js";
import type { Owner } from "../place/index.js";
import { type ForgetMatch, findMatches, prepareFind, removeMatch } from "./forget-matches.js";
import type { MutationParts } from "./tier.js";

/** Numbers of an owner's data in a tier. */
export interface ErasedCounts {
  readonly entries: number;
  readonly namespaces: number;
  /** Replies cached for retries. */
  readonly replies: number;
}

/** Rows per record, as in a forget. */
const SLICE_ROWS = 2_000;
const ALL: Filter = { all: [] };

/**
 * Removes every entry of an owner (in the shared tier the entries that an agent wrote last), or only counts
 * them.
 */
export async function removeOwned(
  tier: MutationParts,
  owner: Owner,
  { dryRun }: { readonly dryRun: boolean },
): Promise<ErasedCounts> {
  let entries = 0;
  let namespaces = 0;
  for (const scope of await tier.registry.selectOwned(owner)) {
    const isShared = owner.agent !== undefined && scope.agent === undefined;
    const filter: Filter = isShared ? { field: "author", op: "eq", value: owner.agent! } : ALL;
    const count = await tier.registry.use(scope, async (loaded) => {
      const matches = findMatches(tier, loaded, await prepareFind(tier, loaded, filter));
      if (!dryRun) await removeAll(tier, loaded, matches);
      return matches.length;
    });
    entries += count;
    namespaces += Number(count > 0);
  }
  return { entries, namespaces, replies: tier.operations.ofOwner(owner, { forget: !dryRun }) };
}

/** Removes matches in slices. All slices are logged before another store can replace a match. */
async function removeAll(
  tier: MutationParts,
  loaded: LoadedPartition,
  matches: readonly ForgetMatch[],
): Promise<void> {
  const slices: Promise<void>[] = [];
  for (let from = 0; from < matches.length; from += SLICE_ROWS) {
    slices.push(removeSlice(tier, loaded, matches.slice(from, from + SLICE_ROWS)));
  }
  await Promise.all(slices);
}

/** Removes a slice without an operation, so that no remaining record names the owner. */
function removeSlice(
  tier: MutationParts,
  loaded: LoadedPartition,
  slice: readonly ForgetMatch[],
): Promise<void> {
  const removed = slice.map(({ rowId }) => rowId);
  return tier.journal.append({
    build: () => ({ at: tier.clock.now(), scope: loaded.id, rows: [], removed }),
    stage(_, seq) {
      for (const { keyHash } of slice) loaded.stage(keyHash, { seq, row: null });
    },
    apply(_, seq) {
      for (const match of slice) removeMatch(tier, loaded, match, { seq });
    },
  });
}
