import {
  type DocumentIndex,
  type DocumentIndexer,
  indexedContext,
  indexedText,
} from "../../lifecycle/index.js";
import type { Draft, Plan } from "./plan-store.js";

/** What search needs of the drafts of a batch, by their positions; nothing for plans without one. */
export type PlanIndex = ReadonlyMap<number, { readonly draft: Draft; readonly index: DocumentIndex }>;

export const NO_INDEX: PlanIndex = new Map();

/**
 * Indexes the drafts of a batch. What `former` has of the same text is taken from it: a store that plans again because
 * others write the same keys neither waits nor computes twice, and so comes to its end.
 */
export async function indexPlans(
  indexer: DocumentIndexer,
  plans: readonly Plan[],
  waitMs: number,
  former: PlanIndex,
): Promise<PlanIndex> {
  const indexes = new Map<number, { draft: Draft; index: DocumentIndex }>();
  const open: { readonly position: number; readonly draft: Draft }[] = [];
  for (const [position, plan] of plans.entries()) {
    if (!("draft" in plan)) continue;
    const known = former.get(position);
    if (known !== undefined && isSameDocument(known.draft, plan.draft)) indexes.set(position, known);
    else open.push({ position, draft: plan.draft });
  }
  if (open.length === 0) return indexes;
  const found = await indexer.index(
    open.map(({ draft }) => draft),
    waitMs,
  );
  for (const [i, { position, draft }] of open.entries()) indexes.set(position, { draft, index: found[i]! });
  return indexes;
}

function isSameDocument(a: Draft, b: Draft): boolean {
  return (
    a.vector === b.vector &&
    a.occurredAt === b.occurredAt &&
    indexedText(a.body) === indexedText(b.body) &&
    indexedContext(a.body, a.facets) === indexedContext(b.body, b.facets)
  );
}
