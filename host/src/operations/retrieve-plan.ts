import {
  type Caller,
  compileCriteria,
  DEFAULTS,
  type DecodedRequest,
  decodeCursor,
  LIMITS,
  MemoryError,
  type MemoryTier,
  type PluginRetrieveRequest,
  parseNamespacePattern,
  requestDigest,
} from "@membus/protocol";
import { checkEmbedding, type Features, lackOf, notOffered } from "../plugin-calls/index.js";
import type { Runtime } from "./runtime.js";

export type RetrieveRequest = Extract<DecodedRequest, { type: "memory/retrieve/req" }>;

/** What every tier is asked, and what a cursor of this request must carry. */
export interface RetrievePlan {
  readonly request: PluginRetrieveRequest;
  readonly digest: string;
  /** Chosen from the best candidates, so nothing continues it (clause RET-27). */
  readonly isOnePage: boolean;
}

/**
 * Turns a retrieve into the request that every plugin gets.
 * @throws {MemoryError} `schema_violation` for another request's cursor, or a vector of another model; `too_large` for
 * more neighbours than a page may have.
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
    ...(body.query && { query: body.query, asker: `${tenant}/${agent}` }),
    ...(body.embedding && { embedding: body.embedding }),
    ...(cursor && { after: cursor.after }),
    order: body.order ?? (isRanked(body) ? "relevance" : "newest"),
    limit: body.limit ?? Math.max(DEFAULTS.limit, body.keys?.length ?? 0),
    max_bytes: replyBytesMax(),
    min_score: body.min_score ?? 0,
    mode: body.mode ?? "hybrid",
    include: body.include ?? [],
    as_of: cursor?.as_of ?? now,
    ...steeringOf(body),
  };
  checkExpanded(request);
  return { request, digest, isOnePage: Boolean(request.diversity || request.rerank) };
}

type Steering = Pick<PluginRetrieveRequest, Steer>;
type Steer = "fields" | "recency" | "diversity" | "expand" | "explain" | "rerank";

/** What steers the ranking, by its defaults; what is off is left out, so that plugins that know nothing of it see nothing. */
function steeringOf({ fields, recency, diversity, expand, explain, rerank }: RetrieveRequest): Steering {
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
  const message = `a page has at most ${max} entries with their neighbours; limit and expand make ${got}`;
  throw new MemoryError("too_large", message, { limit: "expandedEntries", max, got, path: "expand" });
}

function isRanked(body: RetrieveRequest): boolean {
  return Boolean(body.query || body.embedding);
}

/** What a tier lacks for a retrieve; undefined: nothing. */
export function lackFor(
  tier: MemoryTier,
  features: Features,
  body: RetrieveRequest,
): MemoryError | undefined {
  const demanded = [...(body.requires ?? [])];
  if (body.namespace && parseNamespacePattern(body.namespace).subtree) demanded.push("subtree");
  demanded.push(...Object.keys(steeringOf(body)));
  if (!isRanked(body)) return lackOf(tier, features, demanded);
  if (body.mode === "vector") demanded.push("similarity");
  if (body.mode === "text") demanded.push("full_text");
  const canRank = features.similarity || (features.full_text && Boolean(body.query));
  return lackOf(tier, features, demanded) ?? (canRank ? undefined : notOffered(tier, "similarity"));
}
