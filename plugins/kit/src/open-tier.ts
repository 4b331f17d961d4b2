import type { Embedder, PluginServices } from "@membus/protocol";
import type { Analyzer } from "./analyzer/index.js";
import { BackFill } from "./back-fill.js";
import { DocumentIndexer } from "./index-document.js";
import { createMemoryJournal } from "./journal/journal.js";
import { OperationMemory } from "./journal/operation-memory.js";
import type { ResolvedKitOptions } from "./kit-options.js";
import type { DurableParts } from "./kit-plugin.js";
import { type DurableState, openDurable } from "./open-durable.js";
import { Partition } from "./partition/partition.js";
import { BodyCache } from "./residency/body-cache.js";
import { PartitionRegistry } from "./residency/partition-registry.js";
import type { Retention } from "./retention.js";
import type { RowBody, RowFacets } from "./row.js";
import { Sweeper } from "./sweep.js";
import type { Tier } from "./tier.js";
import { ForgetOrder } from "./write/forget-order.js";

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
  const { services, options, retention, durable } = parts;
  const { operationWindowS, operationCountMax, operationBytesMax } = options;
  const operations = new OperationMemory({
    windowS: operationWindowS,
    countMax: operationCountMax,
    bytesMax: operationBytesMax,
  });
  const state = durable && (await openDurable(durable, { services, options, operations }));
  const bodies = state?.bodies ?? memoryBodies(options);
  const backFill: BackFill = new BackFill(() => tier, options.embedRetryMs);
  const indexer = new DocumentIndexer({ ...services, analyzer: parts.analyzer });
  const partitionParts = { indexer, bodies, embedder: services.embedder };
  const tier: Tier = {
    services,
    clock: services.clock,
    logger: services.logger,
    durable: state !== undefined,
    analyzer: parts.analyzer,
    indexer,
    journal: state?.journal ?? createMemoryJournal(),
    operations,
    registry: openRegistry(parts, state, () => emptyPartition(partitionParts)),
    bodies,
    forgets: new ForgetOrder(),
    retention,
    clockFloor: state?.newestAt ?? 0,
    partitionRowsMax: options.partitionRowsMax,
    embedWaitMs: options.embedWaitMs,
    expired: new Map(),
    needsVectors: (resident) => state && backFill.schedule(resident),
  };
  tier.journal.onRollback(() => {
    for (const resident of tier.registry.residents) resident.staged.clear();
  });
  const sweeper = new Sweeper(tier, state, options.purgeIntervalS);
  return {
    tier,
    maintain: () => sweeper.run(),
    stats: () => tierStats(tier, state, backFill),
    async close() {
      await backFill.close();
      await state?.close();
    },
  };
}

function memoryBodies(options: ResolvedKitOptions): BodyCache {
  return new BodyCache({ cacheBytes: options.bodyCacheBytes }, async () => new Map());
}

function openRegistry(
  { services, options }: TierParts,
  state: DurableState | undefined,
  empty: () => Partition,
): PartitionRegistry {
  return new PartitionRegistry(
    { residentBytesMax: options.residentBytesMax },
    {
      clock: services.clock,
      load: async (scope) => (state === undefined ? empty() : state.load(scope, empty())),
      mayLeave: (resident) =>
        state === undefined ? resident.partition.liveCount === 0 : state.mayLeave(resident.id),
      storedScopes: async () => state?.scopes() ?? [],
    },
  );
}

function emptyPartition(parts: {
  readonly indexer: DocumentIndexer;
  readonly bodies: BodyCache;
  readonly embedder: Embedder | undefined;
}): Partition {
  const { indexer, bodies, embedder } = parts;
  return new Partition({
    ...(embedder === undefined ? {} : { embedder }),
    termsOf: (rowId: number, facets: RowFacets, occurredAt: number) =>
      indexer.terms({ body: JSON.parse(bodies.peek(rowId)!) as RowBody, facets, occurredAt }),
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
