import {
  compileCriteria,
  DEFAULTS,
  keyHash,
  LIMITS,
  type MemoryTier,
  normaliseKey,
  parseRequest,
  parseStoreEntry,
  requestDigest,
} from "@membus/protocol";
import type {
  Operation,
  PluginForgetRequest,
  PluginListRequest,
  PluginRetrieveRequest,
  PluginStoreRequest,
  Position,
  StoreItem,
} from "@membus/protocol/plugin";
import { ExpectationError } from "../expect.js";

type Fields = Readonly<Record<string, unknown>>;
type Accepted = Omit<Operation, "id" | "digest">;
type Request<Type extends string> = Extract<ReturnType<typeof parseRequest>, { type: Type }>;

/** Compiles a store as a host does: validated entries, keys as objects, expiry as a time. */
export function compileStore(message: Fields, tier: MemoryTier, accepted: Accepted): PluginStoreRequest {
  const request = parseRequest(message) as Request<"memory/store/req">;
  const entries = request.entries.map((entry, index) => toItem(entry, index, tier, accepted.accepted_at));
  if (new Set(entries.map(({ key_hash }) => key_hash)).size < entries.length) {
    throw new TypeError("the suite stores a key twice in one request, which a plugin never gets");
  }
  return { op: operationOf(request, accepted), ack: request.ack ?? "stored", entries };
}

function toItem(value: unknown, index: number, tier: MemoryTier, acceptedAt: number): StoreItem {
  const { tier: named, key: given, ttl, expires_at, ...fields } = parseStoreEntry(value);
  if ((named ?? "working") !== tier) {
    const what = "the tier of an entry that is stored again as it was retrieved";
    throw new ExpectationError({ what, expected: tier, got: String(named) });
  }
  const key = normaliseKey(given);
  const end = expires_at ?? (ttl ? acceptedAt + ttl : null);
  const rest = end === null ? null : Math.max(end - acceptedAt, 0.001);
  return { ...fields, index, key, key_hash: keyHash(key), ttl: rest, expires_at: end };
}

/** Approximate maximum size of a reply with the default settings of the server. */
const REPLY_BYTES_MAX = 2 ** 20;

export function compileRetrieve(
  message: Fields,
  now: number,
  cursor: Cursor | undefined,
): PluginRetrieveRequest {
  const { embedding, query, ...body } = parseRequest(message) as Request<"memory/retrieve/req">;
  const isRanked = Boolean(query || embedding);
  return {
    filter: compileCriteria(body),
    ...(query && { query }),
    ...(embedding && { embedding }),
    ...(cursor && { after: cursor.after }),
    order: body.order ?? (isRanked ? "relevance" : "newest"),
    limit: body.limit ?? Math.max(DEFAULTS.limit, body.keys?.length ?? 0),
    max_bytes: REPLY_BYTES_MAX,
    min_score: body.min_score ?? 0,
    mode: body.mode ?? "hybrid",
    include: body.include ?? [],
    as_of: cursor?.as_of ?? now,
    ...steeringOf(body),
  };
}

/** Returns the steering options with defaults. Disabled options are omitted. */
function steeringOf({
  fields,
  recency,
  diversity,
  expand,
  explain,
  rerank,
}: Request<"memory/retrieve/req">): Partial<PluginRetrieveRequest> {
  return {
    ...(fields && { fields }),
    ...(recency && { recency: { ...recency, weight: recency.weight ?? DEFAULTS.recencyWeight } }),
    ...(diversity && { diversity }),
    ...(expand && { expand: { before: expand.before ?? 0, after: expand.after ?? 0 } }),
    ...(explain && { explain }),
    ...(rerank && { rerank }),
  };
}

/** Position of a cursor. This route has no host that encodes it. */
export interface Cursor {
  readonly after: Position;
  readonly as_of: number;
}

export function compileForget(message: Fields, accepted: Accepted): PluginForgetRequest {
  const request = parseRequest(message) as Request<"memory/forget/req">;
  return {
    op: operationOf(request, accepted),
    filter: compileCriteria(request),
    dry_run: request.dry_run ?? false,
    ...(request.cascade && { cascade: true }),
    ...(request.purge && { purge: true }),
  };
}

export function compileList(message: Fields): PluginListRequest {
  const { field, ...body } = parseRequest(message) as Request<"memory/list/req">;
  return { filter: compileCriteria(body), ...(field && { field }), values_max: LIMITS.listValues };
}

function operationOf(request: Fields & { id?: string | null | undefined }, accepted: Accepted): Operation {
  return { ...accepted, id: request.id!, digest: requestDigest(request) };
}
