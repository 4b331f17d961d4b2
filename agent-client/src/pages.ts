import {
  type DegradedTier,
  type ErrorMessage,
  type Json,
  MemoryError,
  type MemoryListResponse,
  type MemoryRetrieveResponse,
  parseErrorMessage,
  TIERS,
} from "@membus/protocol";

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
 * A listing must not lack some without a word: `retrieve` and `list` are for those who can use a part.
 * @throws {MemoryError} the first reason why a page is `degraded`.
 */
export function requireWhole({ degraded = [] }: AnyPage): void {
  if (degraded[0] !== undefined) throw tierFailure(degraded[0]);
}

/**
 * Of the entries of one key, the content of the one in the first tier.
 * @throws {MemoryError} that of a tier which failed and comes before it.
 */
export function contentByTier<F>(page: Pick<RetrieveResult, "entries" | "degraded">, fallback: F): Json | F {
  for (const tier of TIERS) {
    const failure = page.degraded?.find((degraded) => degraded.tier === tier);
    if (failure !== undefined) throw tierFailure(failure);
    const entry = page.entries.find((found) => found.tier === tier);
    if (entry !== undefined) return entry.content;
  }
  return fallback;
}

/** Why a tier is missing, as the error that it would be of a request to it alone. */
function tierFailure({ code, message }: DegradedTier): MemoryError {
  return parseErrorMessage({ code, message, detail: {} } as ErrorMessage);
}
