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

/**
 * Caller and identity of a mutation. Operations with equal `tenant`, `agent`, `id` and `digest` are the same
 * operation.
 */
export interface Operation {
  readonly tenant: string;
  readonly agent: string;
  readonly id: string;
  readonly digest: string;
  /** Time of acceptance in Unix seconds. */
  readonly accepted_at: number;
}

/** Validated entry to store. Its key is an object and its expiry a time. */
export interface StoreItem extends Omit<StoreEntry, "key" | "tier" | "ttl" | "expires_at"> {
  /** Position in the request from 0, used in receipts and errors. */
  readonly index: number;
  readonly key: MemoryKey;
  readonly key_hash: string;
  readonly ttl: number | null;
  readonly expires_at: number | null;
}

export interface PluginStoreRequest {
  readonly op: Operation;
  readonly ack: Ack;
  /** Entries with distinct key hashes. */
  readonly entries: readonly StoreItem[];
  /**
   * Refuses with `unauthorized` to overwrite an entry by another author than `op.agent` (clause PLUG-23).
   * Sent only if the plugin's manifest declares it.
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
  /**
   * Opaque id of the caller, used as `cacheScope` when the query is embedded. The same for all requests of an
   * agent.
   */
  readonly caller?: string;
  /** Vector of the host's embedder. Ranks instead of, or together with, the query's own vector. */
  readonly embedding?: Float32Array;
  readonly order: Order;
  /** Maximum number of entries. 0 only counts. */
  readonly limit: number;
  /**
   * Maximum bytes of a reply. A page may end after the entry that exceeds the limit and is then `cut` (clause
   * PLUG-18).
   */
  readonly max_bytes: number;
  readonly min_score: number;
  readonly mode: RetrieveMode;
  readonly include: readonly Include[];
  /** Returns only entries after this position. `total` counts all entries. */
  readonly after?: Position;
  /** Time of the first page in Unix seconds. */
  readonly as_of: number;
  // The following fields are sent only if the manifest declares them. Otherwise the host refuses the request
  // or skips the tier (clause RET-22).
  /** Fields to search for the words of the query. Absent: all fields. Never empty. */
  readonly fields?: readonly QueryField[];
  /** Multiplies each score by (1 - weight) + weight * 0.5^(age / half_life_s) (clause RET-24). */
  readonly recency?: { readonly half_life_s: number; readonly weight: number };
  /** Above 0 and up to 1. Absent: 0. Never with `after`, and only in order of relevance. */
  readonly diversity?: number;
  /** Number of neighbours to return with each entry. Absent: entries have no `neighbours`. */
  readonly expand?: { readonly before: number; readonly after: number };
  /** Adds an explanation to each entry and to the result. */
  readonly explain?: true;
  /** Compares all entries, even those that an index would leave out (clause RET-50). */
  readonly exact?: true;
  /** Rescores the best entries with the host's reranker. Never with `after`, and only with a query. */
  readonly rerank?: true;
}

export interface PluginRetrieveResult {
  /** Entries in the total order, at most `limit`. */
  readonly entries: readonly MemoryEntry[];
  readonly total: number;
  readonly total_relation: TotalRelation;
  /** An index chose the entries, so that some may be missing. Then `total_relation` is `gte` (clause RET-49). */
  readonly approximate?: true;
  /** The page ended early because of `max_bytes`. It contains at least one entry. */
  readonly cut?: true;
  /** Reason for a reduced result, such as an embedder that does not answer. */
  readonly degraded?: MemoryError;
  readonly took_ms?: Readonly<Record<string, number>>;
  /** Present if the request sets `explain`. */
  readonly explain?: RankingExplanation;
}

export interface PluginForgetRequest {
  readonly op: Operation;
  readonly filter: Filter;
  readonly dry_run: boolean;
  /**
   * Also forgets derived entries (clauses CASC-1 to CASC-6). Sent only if the manifest declares `cascade`.
   */
  readonly cascade?: true;
  /**
   * Returns after the bytes are erased from disk, with `done` (clause FORGET-9). Sent only if the manifest
   * declares `purge`.
   */
  readonly purge?: true;
}

export interface PluginForgetResult {
  readonly deleted: number;
  /**
   * Number of derived entries by level, included in `deleted`. Present if the request sets `cascade`. Empty
   * if there are none.
   */
  readonly cascaded?: readonly number[];
  /**
   * Time of the first acceptance in Unix seconds. A repeated `op` returns the same time. Absent if the plugin
   * does not remember operations.
   */
  readonly at?: number;
  readonly purge: "done" | "scheduled";
}

export interface PluginStatusResult extends PluginStoreResult {
  /** False while a receipt may still change. */
  readonly done: boolean;
}

/** Erasure state of the bytes that a forget deleted. Times are in Unix seconds. */
export type PluginErasureResult =
  /** Erased from disk at `purged_at`. */
  | { readonly purge: "done"; readonly purged_at: number }
  /** Will be erased by `purge_by`, which is absent if unknown. `purge_reason` names the obstacle. */
  | { readonly purge: "scheduled"; readonly purge_by?: number; readonly purge_reason?: string };

export interface PluginListRequest {
  readonly filter: Filter;
  /** Field to list the values of. Absent: lists namespaces. */
  readonly field?: string;
  /** Maximum number of distinct values. More values are refused with `too_large`. */
  readonly values_max: number;
}

export interface PluginListResult {
  /** Each value once, in any order. A namespace is its whole path. The host truncates, sorts and pages. */
  readonly items: readonly ListItem[];
}

export interface PluginAgentsRequest {
  readonly tenant: string;
  /** Returns only agents with names after this one, by UTF-16 code units. Absent: from the first. */
  readonly after?: string;
  /** Maximum number of agents, at least 1. */
  readonly limit: number;
}

export interface PluginAgentsResult {
  /** Names in ascending order, by UTF-16 code units. */
  readonly agents: readonly string[];
}

/** Event of an entry: forgotten, expired or evicted. The host itself reports `stored`. */
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

/** Services that the host provides to a plugin. */
export interface PluginServices {
  readonly tier: MemoryTier;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Caches vectors and merges concurrent calls with the same `cacheScope`. Absent if the host has no embedder.
   */
  readonly embedder?: Embedder;
  /** Absent if the host has no reranker. */
  readonly reranker?: Reranker;
  /**
   * Directory of this tier, created by the operator of the host. Absent if the plugin must not write to disk.
   */
  readonly dataDirectory?: string;
  /** Reports an entry that was removed. Never throws. */
  notify(change: MemoryChange, agent: string): void;
}

/** Test suite for a part of a plugin, which the conformance suite tests only through the whole plugin. */
export interface FurtherSuite {
  /** Module that registers the tests, such as `@membus/plugin-kit/storage-suite`. */
  readonly module: string;
  /** The tested part, such as "the plugin's `Storage`". */
  readonly tests: string;
}

/**
 * Storage of one tier (05-plugin). The host validates every request and every result. The host turns a thrown
 * `MemoryError` into the error reply, and any other error into `runtime_error`.
 */
export interface MemoryPlugin {
  readonly manifest: PluginManifest;
  /**
   * Suites that the author should also run. Reports of the conformance suite name them. A host ignores them.
   */
  readonly furtherSuites?: readonly FurtherSuite[];
  /** Prepares the plugin. Called once, before any request. */
  open?(services: PluginServices): Promise<void>;
  /**
   * Stores entries. A repeated `op` returns its first result. The same id with another digest is `conflict`
   * (clause RETRY-1).
   */
  onStore(scope: Scope, request: PluginStoreRequest): Promise<PluginStoreResult>;
  onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest): Promise<PluginRetrieveResult>;
  onForget(selector: ScopeSelector, request: PluginForgetRequest): Promise<PluginForgetResult>;
  /**
   * Returns the current state of a store. Undefined for a forget, or if the operation is unknown or no longer
   * remembered (clause PLUG-15).
   */
  onStatus(op: Pick<Operation, "tenant" | "agent" | "id">): Promise<PluginStatusResult | undefined>;
  /**
   * Returns the erasure state of a forget, if the manifest declares `erasure`. Undefined for a store, or if
   * the forget is unknown or no longer remembered (clause PLUG-22).
   */
  onErasure?(op: Pick<Operation, "tenant" | "agent" | "id">): Promise<PluginErasureResult | undefined>;
  /**
   * Lists namespaces or values without reading the entries, if the manifest declares `list` (clause PLUG-20).
   */
  onList?(selector: ScopeSelector, request: PluginListRequest): Promise<PluginListResult>;
  /**
   * Lists the agents with entries in a private tier, if the manifest declares `agents` (clause PLUG-29).
   */
  onAgents?(request: PluginAgentsRequest): Promise<PluginAgentsResult>;
  /** Runs expiry and compaction. Called periodically by the host, never concurrently. */
  maintain?(): Promise<void>;
  /**
   * Returns metrics for operators. `failed: 1` means that the plugin accepts no stores. Discovery then
   * reports `serving: false` (clause DISC-6).
   */
  stats?(): Readonly<Record<string, number | string>>;
  /** Closes the plugin. Called once, after the last request has been answered. */
  close?(): Promise<void>;
}
