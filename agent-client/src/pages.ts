import {
  type DegradedTier,
  type ErrorMessage,
  type Json,
  type MemoryAgentsResponse,
  MemoryError,
  type MemoryListResponse,
  type MemoryRetrieveResponse,
  type MemoryTier,
  parseErrorMessage,
  TIERS,
} from "@membus/protocol";

/** One page of entries, and the cursor of the next page. */
export type RetrieveResult = Pick<
  MemoryRetrieveResponse,
  "entries" | "total" | "total_relation" | "cursor" | "degraded" | "approximate" | "explain" | "took_ms"
>;

/** One page of a list, and the cursor of the next page. */
export type ListResult = Pick<
  MemoryListResponse,
  "items" | "total" | "total_relation" | "cursor" | "degraded"
>;

/** One page of agents, and the cursor of the next page. */
export type AgentsResult = Pick<MemoryAgentsResponse, "agents" | "cursor" | "degraded">;

/** An object of the same fields, in which an optional field is absent and never undefined. */
type Present<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

/** Returns the named fields of a reply that it has. */
export function presentFields<Reply extends object, Name extends keyof Reply>(
  reply: Reply,
  names: readonly Name[],
): Present<Pick<Reply, Name>> {
  const present = names.filter((name) => reply[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, reply[name]])) as Present<Pick<Reply, Name>>;
}

interface AnyPage {
  readonly cursor?: string | undefined;
  readonly degraded?: readonly DegradedTier[] | undefined;
  readonly approximate?: readonly MemoryTier[] | undefined;
}

export interface PageSource<Page extends AnyPage> {
  fetch(limit: number, cursor: string | null | undefined): Promise<Page>;
  sizeOf(page: Page): number;
}

/**
 * Yields pages from `cursor` on, until there are no more or `limit` is reached.
 *
 * @throws {MemoryError} `runtime_error` if a cursor returns itself.
 * @throws {TypeError} for an invalid limit.
 */
export async function* followPages<Page extends AnyPage>(
  source: PageSource<Page>,
  {
    limit,
    pageSize,
    cursor,
  }: { limit: number | null | undefined; pageSize: number; cursor: string | null | undefined },
): AsyncGenerator<Page> {
  let left = parseLimit(limit);
  let next = cursor;
  while (left > 0) {
    const page = await source.fetch(Math.min(left, pageSize), next);
    yield page;
    if (page.cursor === undefined) return;
    if (page.cursor === next)
      throw new MemoryError("runtime_error", "the host returned the same cursor twice");
    left -= source.sizeOf(page);
    next = page.cursor;
  }
}

/**
 * Returns the limit, or infinity if it is absent.
 *
 * @throws {TypeError} if it is not an integer from 0.
 */
function parseLimit(limit: number | null | undefined): number {
  if (limit == null) return Number.POSITIVE_INFINITY;
  if (Number.isSafeInteger(limit) && limit >= 0) return limit;
  throw new TypeError(`limit must be an integer of at least 0, got ${String(limit)}`);
}

/**
 * Rejects a page with a tier that failed, because an iteration must not silently skip entries.
 *
 * @throws {MemoryError} the first reason why a page is `degraded`.
 */
export function requireAnswers({ degraded = [] }: AnyPage): void {
  if (degraded[0] !== undefined) throw tierFailure(degraded[0]);
}

/**
 * Rejects an incomplete page.
 *
 * @throws {MemoryError} as `requireAnswers`. `unsupported` for a page that an index chose the entries of.
 */
export function requireComplete(page: AnyPage): void {
  requireAnswers(page);
  const [tier] = page.approximate ?? [];
  if (tier === undefined) return;
  const message = `the ${tier} tier chose entries with an index and may have missed some: set \`exact\` in the request, or the option \`allowApproximate\``;
  throw new MemoryError("unsupported", message, { tier, feature: "approximate" });
}

/**
 * Returns the content of a key from the first tier that has an entry.
 *
 * @throws {MemoryError} the error of a failed tier before it.
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

/** Returns the error of a degraded tier. */
function tierFailure({ code, message }: DegradedTier): MemoryError {
  return parseErrorMessage({ code, message, detail: {} } as ErrorMessage);
}
