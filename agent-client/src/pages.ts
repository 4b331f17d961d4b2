import {
  type DegradedTier,
  type Json,
  type MemoryEntry,
  MemoryError,
  type MemoryListResponse,
  type MemoryRetrieveResponse,
  TIERS,
} from "@membus/protocol";
import { wireError } from "./exchange/index.js";

/** One page and how to go on. */
export type RetrieveResult = Pick<
  MemoryRetrieveResponse,
  "entries" | "total" | "total_relation" | "cursor" | "degraded" | "explain" | "took_ms"
>;

/** One page of a list and how to go on. */
export type ListResult = Pick<
  MemoryListResponse,
  "items" | "total" | "total_relation" | "cursor" | "degraded"
>;

interface AnyPage {
  readonly cursor?: string | undefined;
  readonly degraded?: readonly DegradedTier[] | undefined;
}

export interface PageSource<Page extends AnyPage> {
  fetch(limit: number, cursor: string | null | undefined): Promise<Page>;
  sizeOf(page: Page): number;
}

/**
 * Every page from `cursor` on, until there is no more or as many as `limit` says have come.
 * @throws {MemoryError} `runtime_error` when a cursor leads to itself.
 */
export async function* followPages<Page extends AnyPage>(
  source: PageSource<Page>,
  { limit, pageSize, cursor }: { limit: number; pageSize: number; cursor: string | null | undefined },
): AsyncGenerator<Page> {
  let left = limit;
  let next = cursor;
  while (left > 0) {
    const page = await source.fetch(Math.min(left, pageSize), next);
    yield page;
    if (page.cursor === undefined) return;
    if (page.cursor === next) throw new MemoryError("runtime_error", "the host's cursor does not advance");
    left -= source.sizeOf(page);
    next = page.cursor;
  }
}

/**
 * The pages as they come. A listing must not lack some without a word: `retrieve` and `list` are for those who can use a
 * part.
 * @throws {MemoryError} the first reason why a page is `degraded`.
 */
export async function* wholePages<Page extends AnyPage>(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  for await (const page of pages) {
    const [degraded] = page.degraded ?? [];
    if (degraded !== undefined) throw wireError(degraded);
    yield page;
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
