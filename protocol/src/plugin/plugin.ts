import type { Clock } from "../clock.js";
import type { MemoryEntry, MemoryKey, QueryField, RankingExplanation, StoreEntry } from "../entry/index.js";
import type { Filter } from "../filter/index.js";
import type { MemoryError } from "../memory-error.js";
import type {
  Ack,
  Include,
  ListItem,
  Order,
  RetrieveMode,
  StoreReceipt,
  TotalRelation,
} from "../messages/index.js";
import type { MemoryTier, Scope, ScopeSelector } from "../scope.js";
import type { EventAction } from "../subjects.js";
import type { PluginManifest } from "./manifest.js";
import type { Embedder, Logger, Reranker } from "./ports.js";
import type { Position } from "./position.js";

/** Who asks for a mutation, and which one it is: the same `tenant`, `agent` and `id` with the same digest is the same one. */
export interface Operation {
  readonly tenant: string;
  readonly agent: string;
  readonly id: string;
  readonly digest: string;
  /** Unix seconds. */
  readonly accepted_at: number;
}

/** One entry to store: checked, its key an object, its expiry a time. */
export interface StoreItem extends Omit<StoreEntry, "key" | "tier" | "ttl" | "expires_at"> {
  /** Position in the request, 0-based; receipts and errors name it. */
  readonly index: number;
  readonly key: MemoryKey;
  readonly key_hash: string;
  readonly ttl: number | null;
  readonly expires_at: number | null;
}

export interface PluginStoreRequest {
  readonly op: Operation;
  readonly ack: Ack;
  /** No two with the same key hash. */
  readonly entries: readonly StoreItem[];
  /**
   * One over an entry whose author is not `op.agent` is refused with `unauthorized` (clause PLUG-23). Only where the
   * plugin's manifest declares it.
   */
  readonly own_only?: true;
}

export interface PluginStoreResult {
  readonly receipts: readonly StoreReceipt[];
  readonly errors: readonly { readonly index: number; readonly error: MemoryError }[];
}

export interface PluginRetrieveRequest {
  readonly filter: Filter;
  readonly query?: string;
  /** Who asks, as a text: `cacheFor` of the query when it is embedded. The same for all requests of an agent. */
  readonly asker?: string;
  /** Of the host's embedder. Ranks instead of, or together with, the query's own. */
  readonly embedding?: Float32Array;
  readonly order: Order;
  /** 0 only counts. */
  readonly limit: number;
  /** Bytes that a reply may have: behind the entry that passes it a page may end, and is then `cut` (clause PLUG-18). */
  readonly max_bytes: number;
  readonly min_score: number;
  readonly mode: RetrieveMode;
  readonly include: readonly Include[];
  /** Only entries behind this position are returned; `total` counts all. */
  readonly after?: Position;
  /** Unix seconds of the first page. */
  readonly as_of: number;
  // From here on only what the plugin's manifest declares: a host refuses the rest, or leaves the tier out (clause RET-22).
  /** Where the words of the query are looked for; absent: everywhere. Not empty. */
  readonly fields?: readonly QueryField[];
  /** Multiplies each score by (1 - weight) + weight * 0.5^(age / half_life_s) (clause RET-24). */
  readonly recency?: { readonly half_life_s: number; readonly weight: number };
  /** Above 0 and up to 1; absent: 0. Never with `after`, and only in order of relevance. */
  readonly diversity?: number;
  /** Neighbours wanted of each entry; absent: none, and no `neighbours`. */
  readonly expand?: { readonly before: number; readonly after: number };
  /** Each entry, and the result, tell how they came about. */
  readonly explain?: true;
  /** The best entries are scored anew by the host's reranker. Never with `after`, and only with a query. */
  readonly rerank?: true;
}

export interface PluginRetrieveResult {
  /** In the total order, at most `limit`. */
  readonly entries: readonly MemoryEntry[];
  readonly total: number;
  readonly total_relation: TotalRelation;
  /** The page ends early because of `max_bytes`. It has an entry at least. */
  readonly cut?: true;
  /** Why the result is less than what was asked, such as an embedder that does not answer. */
  readonly degraded?: MemoryError;
  readonly took_ms?: Readonly<Record<string, number>>;
  /** Present where `explain` asks for it. */
  readonly explain?: RankingExplanation;
}

export interface PluginForgetRequest {
  readonly op: Operation;
  readonly filter: Filter;
  readonly dry_run: boolean;
  /** What was derived from it goes too (clauses CASC-1 to CASC-6). Only where the plugin's manifest declares `cascade`. */
  readonly cascade?: true;
  /** The result comes when the bytes are gone from disk, and says `done` (clause FORGET-9). Only where the manifest declares `purge`. */
  readonly purge?: true;
}

export interface PluginForgetResult {
  readonly deleted: number;
  /** Present where `cascade` asks for it: derived entries by level, which `deleted` counts too. Empty where there are none. */
  readonly cascaded?: readonly number[];
  /** Unix seconds of the first acceptance: a repeated `op` gets the same. Absent where nothing is remembered. */
  readonly at?: number;
  readonly purge: "done" | "scheduled";
}

export interface PluginStatusResult extends PluginStoreResult {
  /** False while a receipt may still change. */
  readonly done: boolean;
}

/** What became of the bytes that a forget took. Times are Unix seconds. */
export type PluginErasureResult =
  /** They were gone from disk at `purged_at`. */
  | { readonly purge: "done"; readonly purged_at: number }
  /** They go by `purge_by`; absent where that is not known. */
  | { readonly purge: "scheduled"; readonly purge_by?: number };

export interface PluginListRequest {
  readonly filter: Filter;
  /** Whose values are told; absent: the namespaces. */
  readonly field?: string;
  /** More distinct values are refused with `too_large`. */
  readonly values_max: number;
}

export interface PluginListResult {
  /** Each value once, in any order; a namespace as its whole path. The host cuts, sorts and pages. */
  readonly items: readonly ListItem[];
}

/** What happened to an entry, for events: forgotten, expired or evicted. The host reports `stored` itself. */
export interface MemoryChange {
  readonly action: EventAction;
  readonly scope: Scope;
  readonly key: MemoryKey;
  readonly key_hash: string;
  readonly tags: readonly string[];
  readonly group?: string | undefined;
  readonly revision: number;
  readonly author: string;
}

/** What the host offers a plugin. */
export interface PluginServices {
  readonly tier: MemoryTier;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Caches and coalesces what is for the same `cacheFor`. Absent when the host has none. */
  readonly embedder?: Embedder;
  /** Absent when the host has none. */
  readonly reranker?: Reranker;
  /** The directory of this tier, made by the host's owner; absent when nothing may be written. */
  readonly dataDirectory?: string;
  /** Reports an entry that went away. Never throws. */
  notify(change: MemoryChange, agent: string): void;
}

/**
 * The storage of one tier (05-plugin). The host has validated every request, checks everything that is returned,
 * and turns a thrown `MemoryError` into the error reply; anything else thrown becomes `runtime_error`.
 */
export interface MemoryPlugin {
  readonly manifest: PluginManifest;
  /** Called once, before any request. */
  open?(services: PluginServices): Promise<void>;
  /** A repeated `op` gets its first result; the same id with another digest is `conflict` (clause RETRY-1). */
  onStore(scope: Scope, request: PluginStoreRequest): Promise<PluginStoreResult>;
  onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest): Promise<PluginRetrieveResult>;
  onForget(selector: ScopeSelector, request: PluginForgetRequest): Promise<PluginForgetResult>;
  /** A store as it stands; undefined for a forget, or an operation that is not known (any more) (clause PLUG-15). */
  onStatus(op: Pick<Operation, "tenant" | "agent" | "id">): Promise<PluginStatusResult | undefined>;
  /** Of a plugin that declares `erasure`: of a forget; undefined for a store, or one that is not known (any more) (clause PLUG-22). */
  onErasure?(op: Pick<Operation, "tenant" | "agent" | "id">): Promise<PluginErasureResult | undefined>;
  /** Of a plugin that declares `list`: what there is, without reading it (clause PLUG-20). */
  onList?(selector: ScopeSelector, request: PluginListRequest): Promise<PluginListResult>;
  /** Called by the host now and then, never twice at once: expiry, compaction. */
  maintain?(): Promise<void>;
  /** Figures for operators. `failed: 1` says that it takes no stores at present: discovery then says `serving: false` (clause DISC-6). */
  stats?(): Readonly<Record<string, number | string>>;
  /** Called once, after the last request has been answered. */
  close?(): Promise<void>;
}
