import {
  type Caller,
  compileCriteria,
  DEFAULTS,
  type DecodedRequest,
  LIMITS,
  MemoryError,
  type MemoryTier,
  parseNamespacePattern,
  requestDigest,
} from "@membus/protocol";
import { decodeCursor, type PluginRetrieveRequest } from "@membus/protocol/plugin";
import {
  checkEmbedding,
  type Features,
  hasFeature,
  missingFeature,
  unsupportedFeatureError,
} from "../plugin-calls/index.js";
import type { Runtime } from "./runtime.js";

export type RetrieveRequest = Extract<DecodedRequest, { type: "memory/retrieve/req" }>;

/** Request for every tier, and the data for its cursor. */
export interface RetrievePlan {
  readonly request: PluginRetrieveRequest;
  readonly digest: string;
  /** Whether the page is selected from the best candidates, so that it has no next page (clause RET-27). */
  readonly isOnePage: boolean;
  /** Whether tiers that may search an index must compare all entries. */
  readonly exact: boolean;
}

/**
 * Converts a retrieve into the request that every plugin receives.
 * @throws {MemoryError} `schema_violation` for the cursor of another request, or a vector of another model.
 * `too_large` for more neighbours than a page may have.
 */
export function planRetrieve(
  body: RetrieveRequest,
  { embedder, replyBytesMax }: Pick<Runtime, "embedder" | "replyBytesMax">,
  { tenant, agent }: Caller,
  now: number,
): RetrievePlan {
  checkEmbedding(body, embedder);
  const digest = requestDigest(body, ["limit", "cursor"]);
  const cursor = body.cursor ? decodeCursor(body.cursor, digest) : undefined;
  const request: PluginRetrieveRequest = {
    filter: compileCriteria(body),
    ...(body.query && { query: body.query, caller: `${tenant}/${agent}` }),
    ...(body.embedding && { embedding: body.embedding }),
    ...(cursor && { after: cursor.after }),
    order: body.order ?? (isRanked(body) ? "relevance" : "newest"),
    limit: body.limit ?? Math.max(DEFAULTS.limit, body.keys?.length ?? 0),
    max_bytes: replyBytesMax(),
    min_score: body.min_score ?? 0,
    mode: body.mode ?? "hybrid",
    include: body.include ?? [],
    as_of: cursor?.as_of ?? now,
    ...rankingOptionsOf(body),
  };
  checkExpanded(request);
  return {
    request,
    digest,
    isOnePage: Boolean(request.diversity || request.rerank),
    exact: body.exact === true,
  };
}

/** Returns the request for one tier. Others than those that may search an index are always exact (clause RET-50). */
export function requestFor({ request, exact }: RetrievePlan, features: Features): PluginRetrieveRequest {
  return exact && hasFeature(features, "approximate") ? { ...request, exact: true } : request;
}

type RankingOptions = Pick<PluginRetrieveRequest, RankingOption>;
type RankingOption = "fields" | "recency" | "diversity" | "expand" | "explain" | "rerank";

/**
 * Returns the ranking options with their defaults. Options that are off are omitted, so that plugins without
 * support for them never see them.
 */
function rankingOptionsOf({
  fields,
  recency,
  diversity,
  expand,
  explain,
  rerank,
}: RetrieveRequest): RankingOptions {
  return {
    ...(fields && { fields }),
    ...(recency && {
      recency: { half_life_s: recency.half_life_s, weight: recency.weight ?? DEFAULTS.recencyWeight },
    }),
    ...(diversity && { diversity }),
    ...(expand && { expand: { before: expand.before ?? 0, after: expand.after ?? 0 } }),
    ...(explain && { explain }),
    ...(rerank && { rerank }),
  };
}

function checkExpanded({ limit, expand }: PluginRetrieveRequest): void {
  if (expand === undefined) return;
  const max = LIMITS.expandedEntries;
  const got = limit * (1 + expand.before + expand.after);
  if (got <= max) return;
  const message = `limit and expand allow ${got} entries on a page, the maximum is ${max}. Reduce them`;
  throw new MemoryError("too_large", message, { limit: "expandedEntries", max, got, path: "expand" });
}

function isRanked(body: RetrieveRequest): boolean {
  return Boolean(body.query || body.embedding);
}

/** Returns the error for a feature that a tier lacks for a retrieve, or undefined. */
export function retrieveFeatureError(
  tier: MemoryTier,
  features: Features,
  body: RetrieveRequest,
): MemoryError | undefined {
  const required = [...(body.requires ?? [])];
  if (body.namespace && parseNamespacePattern(body.namespace).subtree) required.push("subtree");
  required.push(...Object.keys(rankingOptionsOf(body)));
  if (body.include?.includes("snippet")) required.push("snippet");
  if (!isRanked(body)) return missingFeature(tier, features, required);
  if (body.mode === "vector") required.push("similarity");
  if (body.mode === "text") required.push("full_text");
  const canRank = features.similarity || (features.full_text && Boolean(body.query));
  return (
    missingFeature(tier, features, required) ??
    (canRank ? undefined : unsupportedFeatureError(tier, "similarity"))
  );
}
