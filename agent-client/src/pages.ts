import {
  type DegradedTier,
  type Json,
  type MemoryEntry,
  MemoryError,
  type MemoryRetrieveResponse,
  TIERS,
} from "@membus/protocol";
import { wireError } from "./exchange/index.js";

/** One page and how to go on. */
export type RetrieveResult = Pick<
  MemoryRetrieveResponse,
  "entries" | "total" | "total_relation" | "cursor" | "degraded" | "explain" | "took_ms"
>;

export type FetchPage = (limit: number, cursor: string | null | undefined) => Promise<RetrieveResult>;

/**
 * Every page from `cursor` on, until there is no more or `limit` entries have come.
 * @throws {MemoryError} `runtime_error` when a cursor leads to itself.
 */
export async function* followPages(
  fetchPage: FetchPage,
  { limit, pageSize, cursor }: { limit: number; pageSize: number; cursor: string | null | undefined },
): AsyncGenerator<RetrieveResult> {
  let left = limit;
  let next = cursor;
  while (left > 0) {
    const page = await fetchPage(Math.min(left, pageSize), next);
    yield page;
    if (page.cursor === undefined) return;
    if (page.cursor === next) throw new MemoryError("runtime_error", "the host's cursor does not advance");
    left -= page.entries.length;
    next = page.cursor;
  }
}

/**
 * The entries of the pages. A listing must not lack some without a word: `retrieve` is for those who can use a part.
 * @throws {MemoryError} the first reason why a page is `degraded`.
 */
export async function* entriesOf(pages: AsyncIterable<RetrieveResult>): AsyncGenerator<MemoryEntry> {
  for await (const page of pages) {
    const [degraded] = page.degraded ?? [];
    if (degraded !== undefined) throw wireError(degraded);
    yield* page.entries;
  }
}

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
