import {
  compileCriteria,
  DEFAULTS,
  type DecodedRequest,
  decodeCursor,
  type Embedder,
  type MemoryError,
  type MemoryTier,
  type PluginRetrieveRequest,
  parseNamespacePattern,
  requestDigest,
} from "@membus/protocol";
import { checkEmbedding } from "./embedding-rule.js";
import { type Features, lackOf, notOffered, notServed } from "./features.js";
import type { PluginRunner } from "./plugin-runner.js";

export type RetrieveRequest = Extract<DecodedRequest, { type: "memory/retrieve/req" }>;

/** What every tier is asked, and what a cursor of this request must carry. */
export interface RetrievePlan {
  readonly request: PluginRetrieveRequest;
  readonly digest: string;
}

/**
 * Turns a retrieve into the request that every plugin gets.
 * @throws {MemoryError} `schema_violation` for another request's cursor, or a vector of another model.
 */
export function planRetrieve(
  body: RetrieveRequest,
  embedder: Embedder | undefined,
  now: number,
): RetrievePlan {
  checkEmbedding(body, embedder);
  const digest = requestDigest(body, ["limit", "cursor"]);
  const cursor = body.cursor ? decodeCursor(body.cursor, digest) : undefined;
  const request: PluginRetrieveRequest = {
    filter: compileCriteria(body),
    ...(body.query && { query: body.query }),
    ...(body.embedding && { embedding: body.embedding }),
    ...(cursor && { after: cursor.after }),
    order: body.order ?? (isRanked(body) ? "relevance" : "newest"),
    limit: body.limit ?? Math.max(DEFAULTS.limit, body.keys?.length ?? 0),
    min_score: body.min_score ?? 0,
    mode: body.mode ?? "hybrid",
    include: body.include ?? [],
    as_of: cursor?.as_of ?? now,
  };
  return { request, digest };
}

function isRanked(body: RetrieveRequest): boolean {
  return Boolean(body.query || body.embedding);
}

/** The tiers to ask, and those that lack what the request demands. */
export interface RetrieveTiers {
  readonly asked: readonly PluginRunner[];
  readonly lacking: readonly { readonly tier: MemoryTier; readonly error: MemoryError }[];
}

/**
 * The named tier, or all served ones that can answer.
 * @throws {MemoryError} `unsupported` when none can.
 */
export function chooseTiers(
  tiers: ReadonlyMap<MemoryTier, PluginRunner>,
  body: RetrieveRequest,
): RetrieveTiers {
  const named = body.tier == null ? undefined : tiers.get(body.tier);
  if (body.tier != null && named === undefined) throw notServed(body.tier);
  const asked: PluginRunner[] = [];
  const lacking: { tier: MemoryTier; error: MemoryError }[] = [];
  for (const runner of named === undefined ? tiers.values() : [named]) {
    const error = lackFor(runner.tier, runner.features, body);
    if (error === undefined) asked.push(runner);
    else lacking.push({ tier: runner.tier, error });
  }
  if (asked.length === 0) throw lacking[0]!.error;
  return { asked, lacking };
}

function lackFor(tier: MemoryTier, features: Features, body: RetrieveRequest): MemoryError | undefined {
  const demanded = [...(body.requires ?? [])];
  if (body.namespace && parseNamespacePattern(body.namespace).subtree) demanded.push("subtree");
  if (!isRanked(body)) return lackOf(tier, features, demanded);
  if (body.mode === "vector") demanded.push("similarity");
  if (body.mode === "text") demanded.push("full_text");
  const canRank = features.similarity || (features.full_text && Boolean(body.query));
  return lackOf(tier, features, demanded) ?? (canRank ? undefined : notOffered(tier, "similarity"));
}
