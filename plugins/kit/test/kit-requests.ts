import {
  type Criteria,
  compileCriteria,
  keyHash,
  type MemoryTier,
  normaliseKey,
  parseNamespacePattern,
  requestDigest,
  type Scope,
  type ScopeSelector,
  type StoreEntry,
  scopeOf,
  selectorOf,
} from "@membus/protocol";
import type {
  Operation,
  PluginForgetRequest,
  PluginRetrieveRequest,
  PluginStoreRequest,
  StoreItem,
} from "@membus/protocol/plugin";

let operations = 0;

/** Builds an operation with a new id, unless `id` is given, like a host. */
function operation(
  request: object,
  { at, id = `op-${++operations}`, agent = "alice", tenant = "acme" }: OperationFields,
): Operation {
  return { tenant, agent, id, digest: requestDigest({ ...request }), accepted_at: at };
}

export interface OperationFields {
  /** Time of acceptance. Unix seconds. */
  readonly at: number;
  readonly id?: string;
  readonly agent?: string;
  readonly tenant?: string;
}

/** An entry in short form. `key` and `content` default to the text. */
export type TestStoreEntry = Partial<StoreEntry> & { readonly key: StoreEntry["key"] };

export function storeItem(entry: TestStoreEntry, index: number, at: number): StoreItem {
  const { tier: _, key: given, ttl, expires_at, content = null, ...fields } = entry;
  const key = normaliseKey(given);
  const ends = expires_at ?? (ttl ? at + ttl : null);
  const lasts = ends === null ? null : Math.max(0.001, ends - at);
  return { ...fields, index, key, key_hash: keyHash(key), content, ttl: lasts, expires_at: ends };
}

export function storeRequest(
  entries: readonly TestStoreEntry[],
  op: OperationFields,
  ack: "stored" | "queued" = "stored",
): PluginStoreRequest {
  const items = entries.map((entry, index) => storeItem(entry, index, op.at));
  return { op: operation({ entries, ack }, op), ack, entries: items };
}

export type TestRetrieve = Partial<Omit<PluginRetrieveRequest, "filter">> & {
  readonly criteria?: Criteria;
};

export function retrieveRequest({ criteria = {}, ...fields }: TestRetrieve = {}): PluginRetrieveRequest {
  const isRanked = fields.query !== undefined || fields.embedding !== undefined;
  return {
    filter: compileCriteria(criteria),
    order: isRanked ? "relevance" : "newest",
    limit: 1000,
    max_bytes: 2 ** 30,
    min_score: 0,
    mode: "hybrid",
    include: [],
    as_of: 0,
    ...fields,
  };
}

export function forgetRequest(criteria: Criteria, op: OperationFields, dryRun = false): PluginForgetRequest {
  return { op: operation({ criteria, dryRun }, op), filter: compileCriteria(criteria), dry_run: dryRun };
}

export interface ScopeFields {
  readonly tier?: MemoryTier;
  readonly tenant?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly namespace?: string;
}

export function scope(fields: ScopeFields = {}): Scope {
  const { tier = "episodic", namespace = "default", ...caller } = fields;
  return scopeOf(tier, { tenant: "acme", agent: "alice", session: "s1", ...caller }, namespace);
}

/** `namespace` may be a subtree, `a/**`. */
export function selector(fields: ScopeFields = {}): ScopeSelector {
  const { tier = "episodic", namespace = "default", ...caller } = fields;
  const pattern = parseNamespacePattern(namespace);
  return selectorOf(tier, { tenant: "acme", agent: "alice", session: "s1", ...caller }, pattern);
}
