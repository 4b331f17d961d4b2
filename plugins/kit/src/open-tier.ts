import { type Clock, InFlightCounter } from "@membus/protocol";
import type { Embedder, PluginServices } from "@membus/protocol/plugin";
import { createMemoryJournal, type FolderReport, OperationMemory, RevisionMark } from "./journal/index.js";
import type { ResolvedKitOptions } from "./kit-options.js";
import {
  BackFill,
  type BackFillParts,
  BodyCache,
  clearForgotten,
  DocumentIndexer,
  Expiry,
  PartitionRegistry,
  Preload,
  ReadAhead,
  Reindex,
  Removals,
  reanalyse,
  sweep,
} from "./lifecycle/index.js";
import { type DurableParts, type DurableState, openDurable } from "./open-durable.js";
import {
  type ErasedCounts,
  type ErasureParts,
  ForgetOrder,
  type RetrieveParts,
  removeOwned,
  type StoreParts,
} from "./operations/index.js";
import { type Owner, openMarkerFolder } from "./place/index.js";
import { type StorageQuotas, UsageTracker } from "./quotas/index.js";
import type { Retention } from "./retention.js";
import type { RowBody } from "./row.js";
import { type Analyzer, Partition, type PartitionOptions, partitionRowsMaxOf } from "./search/index.js";

export interface TierParts {
  readonly services: PluginServices;
  readonly analyzer: Analyzer;
  readonly options: ResolvedKitOptions;
  readonly durable: DurableParts | undefined;
  readonly retention: Retention | undefined;
  readonly quotas: StorageQuotas | undefined;
}

/** Everything that the operations and the maintenance of an open tier need. */
export interface OpenTier
  extends StoreParts,
    RetrieveParts,
    ErasureParts,
    Pick<
      DurableState,
      "checkTenant" | "damage" | "withFreedSpace" | "snapshot" | "announceErasure" | "tenants"
    > {
  /** Whether all agents of a tenant share the tier. */
  readonly isShared: boolean;
  /** Resolves once no byte of a tenant's forgotten entries is left in RAM or on disk. */
  erase(tenant: string): Promise<void>;
  /** Erases all entries of an owner from RAM and disk, or only counts them. */
  eraseOwner(owner: Owner, options: { readonly dryRun: boolean }): Promise<ErasedCounts>;
  flush(): Promise<void>;
  verify(): Promise<FolderReport | undefined>;
  maintain(): Promise<void>;
  stats(): Readonly<Record<string, number | string>>;
  close(): Promise<void>;
}

/** Opens a tier and connects its parts. A durable tier first recovers from its log. */
export async function openTier(parts: TierParts): Promise<OpenTier> {
  const { services, options, retention, durable, analyzer, quotas } = parts;
  const { clock, embedder, logger } = services;
  const { partitionBytesMax, embedWaitMs, rerankWaitMs } = options;
  // The embedder measures `unrelatedCosine` at the first call. Calling it now avoids the delay in a query.
  void embedder?.unrelatedCosine?.().catch(() => undefined);
  const operations = operationMemory(options);
  const state = durable && (await openDurable(durable, { services, options, operations }));
  const markerPlace = durable === undefined ? await openMarkerFolder(services) : undefined;
  const revisions = markerPlace && (await RevisionMark.open(markerPlace, services));
  const bodies = state?.bodies ?? memoryBodies(options);
  const activeQueries = new InFlightCounter();
  const indexer = new DocumentIndexer({ embedder, clock, logger, analyzer, activeQueries });
  const usageTracker = state && quotas && new UsageTracker(quotas, clock, state.readUsage);
  const removals = new Removals({ bodies, retention, usageTracker, notify: services.notify });
  const expiry = new Expiry({ clock, removals, durable: state !== undefined });
  const journal = state?.journal ?? createMemoryJournal();
  const registry = openRegistry({
    ...{ clock, options, state, retention, expiry, revisions },
    load: partitionsOf({ state, bodies, indexer, embedder, analyzer: analyzer.id, options }),
  });
  journal.onRollback((firstLostSeq) => {
    for (const loaded of registry.partitions) loaded.unstageFrom(firstLostSeq);
  });
  const shared = { clock, logger, embedder, activeQueries, indexer, bodies, journal, registry, usageTracker };
  const vectors = state?.vectors;
  const background =
    state && (await openBackground(state, { ...shared, vectors, options, analyzer: analyzer.id }));
  const readAhead = new ReadAhead(bodies);
  const preload = new Preload({ registry, analyzer, clock, logger }, state?.latest.ids.toReversed() ?? []);
  const tier: OpenTier = {
    ...{ ...shared, vectors, operations, analyzer, readAhead, removals, expiry, retention, revisions },
    durable: state !== undefined,
    isShared: services.tier === "semantic",
    forgets: new ForgetOrder(),
    reranker: services.reranker,
    analyzerId: analyzer.id,
    embedderId: embedder?.id ?? "",
    partitionRowsMax: vectors ? options.partitionRowsMax : partitionRowsMaxOf(options, embedder),
    ...{ partitionBytesMax, embedWaitMs, rerankWaitMs },
    needsVectors: (loaded) => background?.backFill.schedule(loaded),
    ...{ tenants: () => state?.tenants() ?? [], damage: () => state?.damage() },
    checkTenant: (tenant) => state?.checkTenant(tenant),
    erasureOf: async (seq, at) => state?.erasureOf(seq, at),
    async erase(tenant) {
      await clearForgotten(registry);
      await state?.erase(tenant);
    },
    announceErasure: async (owner) => state?.announceErasure(owner),
    eraseOwner: (owner, options) => eraseOwned(tier, state, owner, options),
    snapshot: async (target) => (state ?? revisions)?.snapshot(target),
    withFreedSpace: (task) => (state === undefined ? task() : state.withFreedSpace(task)),
    ...{ flush: async () => state?.flusher.flush(), verify: async () => state?.verify() },
    async maintain() {
      const parts = { clock, options, registry, expiry, removals, retention, journal, stored: state };
      await tier.withFreedSpace(() => sweep(parts));
      await state?.restoreReserve();
      await revisions?.maintain();
    },
    stats: () => statsOf({ ...tier, background, state }),
    async close() {
      await closeInTurn([preload, readAhead, background?.backFill, background?.reindex, state ?? revisions]);
      registry.clear();
    },
  };
  return completeErasures(tier, state?.erasing ?? []);
}

interface StatsParts
  extends Pick<OpenTier, "registry" | "bodies" | "operations" | "retention" | "usageTracker"> {
  readonly state: DurableState | undefined;
  readonly background: Background | undefined;
}

function statsOf({ state, background, ...parts }: StatsParts): Readonly<Record<string, number | string>> {
  const { registry, bodies, operations, retention, usageTracker } = parts;
  return {
    ...{ ...registry.stats, ...bodies.stats, ...operations.stats },
    ...{ ...retention?.stats(), ...state?.stats(), ...usageTracker?.stats },
    partitions_awaiting_vectors: background?.backFill.waitingCount ?? 0,
    ...background?.reindex.stats,
  };
}

async function closeInTurn(parts: readonly ({ close(): Promise<void> } | undefined)[]): Promise<void> {
  for (const part of parts) await part?.close();
}

async function eraseOwned(
  tier: OpenTier,
  state: DurableState | undefined,
  owner: Owner,
  options: { readonly dryRun: boolean },
): Promise<ErasedCounts> {
  const remove = () => removeOwned(tier, owner, options);
  if (options.dryRun || state === undefined) return remove();
  return state.eraseOwner(owner, async () => {
    const counts = await remove();
    await clearForgotten(tier.registry);
    return counts;
  });
}

/**
 * Continues interrupted erasures. One that fails, for example because of a damaged table, waits for the next
 * open and does not block it.
 */
async function completeErasures(tier: OpenTier, owners: readonly Owner[]): Promise<OpenTier> {
  for (const owner of owners) {
    await tier.eraseOwner(owner, { dryRun: false }).catch((error: unknown) => {
      tier.logger.error(
        { err: error, owner },
        "could not complete an interrupted erasure, retrying at the next start",
      );
    });
  }
  return tier;
}

interface Background {
  readonly backFill: BackFill;
  readonly reindex: Reindex;
}

interface BackgroundParts extends Omit<BackFillParts, "waitForCapacity"> {
  readonly options: ResolvedKitOptions;
}

/**
 * Starts the background work that brings a durable tier's rows to the current embedder and analyzer. A
 * failure closes the tier.
 */
async function openBackground(state: DurableState, parts: BackgroundParts): Promise<Background> {
  const { registry, embedder, analyzer, clock, logger, options } = parts;
  const { embedRetryMs: retryMs, reindexRowsPerSecondMax: rowsPerSecondMax } = options;
  const waitForCapacity = () => state.waitForCapacity();
  const backFill = new BackFill({ retryMs, rowsPerSecondMax }, { ...parts, waitForCapacity });
  registry.onLoaded((loaded) => {
    if (loaded.partition.hasPendingRows) backFill.schedule(loaded);
  });
  const ids = { analyzer, embedder: embedder?.id };
  const reindex = await Reindex.open(ids, { ...state, backFill, clock, logger, retryMs }).catch(
    async (error: unknown) => {
      await state.close();
      throw error;
    },
  );
  reindex.start();
  return { backFill, reindex };
}

function operationMemory(options: ResolvedKitOptions): OperationMemory {
  const { operationWindowS, operationCountMax, operationBytesMax } = options;
  return new OperationMemory({
    windowS: operationWindowS,
    countMax: operationCountMax,
    bytesMax: operationBytesMax,
  });
}

/** Creates the cache of a tier in memory, which keeps every body until its row is removed. */
function memoryBodies(options: ResolvedKitOptions): BodyCache {
  return new BodyCache({ cacheBytes: options.bodyCacheBytes }, async () => new Map());
}

interface RegistryParts {
  readonly clock: Clock;
  readonly options: ResolvedKitOptions;
  readonly state: DurableState | undefined;
  readonly retention: Retention | undefined;
  readonly expiry: Expiry;
  readonly revisions: RevisionMark | undefined;
  load(scope: string): Promise<Partition>;
}

function openRegistry(parts: RegistryParts): PartitionRegistry {
  const { clock, options, state, retention, expiry, revisions, load } = parts;
  if (state === undefined) {
    return new PartitionRegistry(
      { residentBytesMax: Number.POSITIVE_INFINITY },
      {
        ...{ clock, load },
        measured: ({ id, partition }) => retention?.measured(id, partition.liveBytes),
        mayUnload: ({ isEmpty }) => isEmpty,
        unloadsEmpty: true,
        newestAt: revisions?.floor ?? 0,
        isStored: () => true,
        storedScopes: async () => [],
      },
    );
  }
  return new PartitionRegistry(
    { residentBytesMax: options.residentBytesMax },
    {
      ...{ clock, load, newestAt: state.newestAt },
      mayUnload: ({ id }) => state.mayUnload(id) && !expiry.hasUnloggedRemovals(id),
      unloadsEmpty: false,
      isStored: (id) => state.mayUnload(id),
      storedScopes: (tenant) => state.scopes(tenant),
    },
  );
}

interface LoadParts {
  readonly state: DurableState | undefined;
  readonly bodies: BodyCache;
  readonly indexer: DocumentIndexer;
  readonly embedder: Embedder | undefined;
  /** Id of the analyzer. */
  readonly analyzer: string;
  readonly options: ResolvedKitOptions;
}

/**
 * Returns a function that loads the partition of a scope. Rows in RAM have the terms of the current analyzer.
 */
function partitionsOf({ state, bodies, indexer, embedder, analyzer, options }: LoadParts) {
  // All partitions share one options object, because there may be many small ones.
  const shared: PartitionOptions = {
    ...(embedder === undefined ? {} : { embedder }),
    analyzer,
    ...(state?.vectors && { residentVectorBytesMax: options.partitionVectorBytesMax }),
    termsOf: (rowId, facets, occurredAt) =>
      indexer.terms({ body: JSON.parse(bodies.peek(rowId)!) as RowBody, facets, occurredAt }),
  };
  return async (scope: string): Promise<Partition> => {
    const partition = new Partition(shared);
    if (state === undefined) return partition;
    await state.load(scope, partition);
    await reanalyse(scope, partition, { bodies, indexer });
    return partition;
  };
}
