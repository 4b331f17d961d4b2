import { type DegradedTier, type Json, type MemoryEntry, TIERS } from "@membus/protocol";
import type { RetrieveResult } from "./pages.js";
import { wireError } from "./wire-error.js";

/**
 * Of the entries of one key, the content of the one in the first tier.
 * @throws {MemoryError} that of a tier which failed and comes before it.
 */
export async function contentByTier<F>(pages: AsyncIterable<RetrieveResult>, fallback: F): Promise<Json | F> {
  const found = new Map<string, MemoryEntry>();
  const failed = new Map<string, DegradedTier>();
  for await (const page of pages) {
    for (const entry of page.entries) found.set(entry.tier, entry);
    for (const degraded of page.degraded ?? []) failed.set(degraded.tier, degraded);
  }
  for (const tier of TIERS) {
    const failure = failed.get(tier);
    if (failure !== undefined) throw wireError(failure);
    const entry = found.get(tier);
    if (entry !== undefined) return entry.content;
  }
  return fallback;
}
