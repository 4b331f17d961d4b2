import type { Clock, Embedder, PluginServices } from "@membus/protocol";
import type { Analyzer } from "./search/analyzer/index.js";
import { BackFill } from "./lifecycle/embedding/back-fill.js";
import { Foreground } from "./lifecycle/embedding/foreground.js";
import { reanalyse } from "./lifecycle/embedding/reanalyse.js";
import { Reindex } from "./lifecycle/embedding/reindex.js";
import { DocumentIndexer } from "./lifecycle/embedding/index-document.js";
import { createMemoryJournal } from "./journal/journal.js";
import { OperationMemory } from "./journal/operation-memory.js";
import type { ResolvedKitOptions } from "./kit-options.js";
import { type DurableParts, type DurableState, openDurable } from "./open-durable.js";
import { Partition } from "./search/partition/partition.js";
import { partitionRowsMaxOf } from "./search/partition/rows-max.js";
import { Preload } from "./lifecycle/residency/preload.js";
import { ReadAhead } from "./operations/retrieve/read-ahead.js";
import { BodyCache } from "./lifecycle/residency/body-cache.js";
import { PartitionRegistry } from "./lifecycle/residency/partition-registry.js";
import type { Resident } from "./lifecycle/residency/resident.js";
import type { Retention } from "./retention.js";
import type { RowBody, RowFacets } from "./row.js";
import { sweep } from "./lifecycle/sweep.js";
import type { Tier } from "./tier.js";
import { ForgetOrder } from "./operations/forget-order.js";

export interface TierParts {
  readonly services: PluginServices;
  readonly analyzer: Analyzer;
  readonly options: ResolvedKitOptions;
  readonly durable: DurableParts | undefined;
  readonly retention: Retention | undefined;
}

export interface OpenTier {
  readonly tier: Tier;
  maintain(): Promise<void>;
  stats(): Readonly<Record<string, number | string>>;
  close(): Promise<void>;
}

/** Puts the parts of a tier together; a durable one recovers from its log first. */
export async function openTier(parts: TierParts): Promise<OpenTier> {
  const { services, options, retention, durable, analyzer } = parts;
  const { embedder, logger } = services;
  // Embedders measure when they are first asked: better now than while a query waits.
  void embedder?.unrelatedCosine?.().catch(() => undefined);
  const operations = operationMemory(options);
  const state = durable && (await openDurable(durable, { services, options, operations }));
  const clockFloor = state?.newestAt ?? 0;
  const clock = clockAbove(services.clock, clockFloor);
  const bodies = state?.bodies ?? memoryBodies(options);
  const foreground = new Foreground();
  const { embedRetryMs: retryMs, reindexRowsPerSecondMax: rowsPerSecondMax } = options;
  const backFill: BackFill = new BackFill(
    { retryMs, rowsPerSecondMax },
    {
      tier: () => tier,
      roomToWrite: async () => state?.roomToWrite(),
      rewritten: (count) => reindex?.rewritten(count),
    },
  );
  const ids = { analyzer: analyzer.id, embedder: embedder?.id };
  const reindex = state && (await Reindex.open(ids, { ...state, backFill, clock, logger, retryMs }));
  const indexer = new DocumentIndexer({ embedder, clock, logger, analyzer, foreground });
  const empty = (): Partition => emptyPartition({ embedder, indexer, bodies, analyzer });
  const needsVectors = (resident: Resident): void => {
    if (state !== undefined && embedder !== undefined) backFill.schedule(resident);
  };
  const tier: Tier = {
    ...{ services, clock, clockFloor, logger, analyzer, indexer, operations, bodies, retention },
    ...{ foreground, needsVectors },
    durable: state !== undefined,
    journal: state?.journal ?? createMemoryJournal(),
    registry: openRegistry({
      ...{ clock, options, state, retention },
      load: async (scope) => (state ? loadAnalysed(scope, empty(), state, indexer) : empty()),
      loaded: (resident) => resident.partition.isBehind && needsVectors(resident),
      holdsExpired: (id) => tier.expired.has(id),
    }),
    forgets: new ForgetOrder(),
    readAhead: new ReadAhead(),
    partitionRowsMax: partitionRowsMaxOf(options, embedder),
    partitionBytesMax: options.partitionBytesMax,
    embedWaitMs: options.embedWaitMs,
    rerankWaitMs: options.rerankWaitMs,
    expired: new Map(),
  };
  tier.journal.onRollback((firstLostSeq) => {
    for (const resident of tier.registry.residents) resident.unstageFrom(firstLostSeq);
  });
  reindex?.start();
  const preload = new Preload(tier, state?.latest.ids.toReversed() ?? []);
  return {
    tier,
    maintain: () => sweep(tier, state),
    stats: () => ({ ...tierStats(tier, state, backFill), ...reindex?.stats }),
    async close() {
      await preload.close();
      await tier.readAhead.close();
      await backFill.close();
      await reindex?.close();
      await state?.close();
      tier.registry.clear();
    },
  };
}

function operationMemory(options: ResolvedKitOptions): OperationMemory {
  const { operationWindowS, operationCountMax, operationBytesMax } = options;
  return new OperationMemory({
    windowS: operationWindowS,
    countMax: operationCountMax,
    bytesMax: operationBytesMax,
  });
}

/** After the machine's clock was set back, time stands still until it has caught up. */
function clockAbove(clock: Clock, floor: number): Clock {
  return {
    now: () => Math.max(clock.now(), floor),
    after: (delayMs, run, waiting) => clock.after(delayMs, run, waiting),
  };
}

/** A tier in memory keeps every body until its row goes. */
function memoryBodies(options: ResolvedKitOptions): BodyCache {
  return new BodyCache({ cacheBytes: options.bodyCacheBytes }, async () => new Map());
}

interface RegistryParts {
  readonly clock: Clock;
  readonly options: ResolvedKitOptions;
  readonly state: DurableState | undefined;
  readonly retention: Retention | undefined;
  load(scope: string): Promise<Partition>;
  loaded(resident: Resident): void;
  /** Whether expired rows of the scope are still to be logged as gone: loaded again, they would expire again. */
  holdsExpired(scope: string): boolean;
}

function openRegistry(parts: RegistryParts): PartitionRegistry {
  const { clock, options, state, retention, load, loaded, holdsExpired } = parts;
  if (state === undefined) {
    return new PartitionRegistry(
      { residentBytesMax: Number.POSITIVE_INFINITY },
      {
        ...{ clock, load, loaded },
        measured: ({ id, liveBytes }) => retention?.measured(id, liveBytes),
        mayLeave: ({ isEmpty }) => isEmpty,
        dropsEmpty: true,
        storedScopes: async () => [],
      },
    );
  }
  return new PartitionRegistry(
    { residentBytesMax: options.residentBytesMax },
    {
      ...{ clock, load, loaded },
      mayLeave: ({ id }) => state.mayLeave(id) && !holdsExpired(id),
      dropsEmpty: false,
      storedScopes: () => state.scopes(),
    },
  );
}

/** What is in RAM has the terms of the present analyzer. */
async function loadAnalysed(
  scope: string,
  partition: Partition,
  state: DurableState,
  indexer: DocumentIndexer,
): Promise<Partition> {
  await state.load(scope, partition);
  await reanalyse(scope, partition, { bodies: state.bodies, indexer });
  return partition;
}

interface PartitionParts {
  readonly embedder: Embedder | undefined;
  readonly analyzer: Analyzer;
  readonly indexer: DocumentIndexer;
  readonly bodies: BodyCache;
}

function emptyPartition({ embedder, analyzer, indexer, bodies }: PartitionParts): Partition {
  return new Partition({
    ...(embedder === undefined ? {} : { embedder }),
    analyzer: analyzer.id,
    termsOf(rowId: number, facets: RowFacets, occurredAt: number) {
      return indexer.terms({ body: JSON.parse(bodies.peek(rowId)!) as RowBody, facets, occurredAt });
    },
  });
}

function tierStats(
  tier: Tier,
  state: DurableState | undefined,
  backFill: BackFill,
): Readonly<Record<string, number | string>> {
  return {
    ...tier.registry.stats,
    ...tier.bodies.stats,
    ...tier.operations.stats,
    ...tier.retention?.stats(),
    ...state?.stats(),
    partitions_awaiting_vectors: backFill.waitingCount,
  };
}
