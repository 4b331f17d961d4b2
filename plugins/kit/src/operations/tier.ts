import type { Clock, InFlightCounter } from "@membus/protocol";
import type { Embedder, Logger, Reranker } from "@membus/protocol/plugin";
import type { Journal, OperationMemory, RevisionMark } from "../journal/index.js";
import type {
  BodyCache,
  DocumentIndexer,
  Expiry,
  LoadedPartition,
  PartitionRegistry,
  ReadAhead,
  Removals,
  StoredVectors,
} from "../lifecycle/index.js";
import type { UsageTracker } from "../quotas/index.js";
import type { Retention } from "../retention.js";
import type { Analyzer } from "../search/index.js";
import type { ForgetOrder } from "./forget-order.js";

/** Parts that every operation needs. */
export interface TierCore {
  readonly clock: Clock;
  readonly durable: boolean;
  /** Vectors that are not in RAM. Undefined if all of them are. */
  readonly vectors: StoredVectors | undefined;
  readonly registry: PartitionRegistry;
  readonly bodies: BodyCache;
  readonly expiry: Expiry;
}

/** Parts that mutations need. */
export interface MutationParts extends TierCore {
  readonly journal: Journal;
  readonly operations: OperationMemory;
  readonly forgets: ForgetOrder;
  readonly removals: Removals;
}

export interface StoreParts extends MutationParts {
  readonly indexer: DocumentIndexer;
  /** Ids. The embedder's id is "" without an embedder. */
  readonly analyzerId: string;
  readonly embedderId: string;
  readonly retention: Retention | undefined;
  /** Revision mark of a tier in memory that has a folder. */
  readonly revisions: RevisionMark | undefined;
  /** Usage tracker of a durable tier with quotas. */
  readonly usageTracker: UsageTracker | undefined;
  readonly partitionRowsMax: number;
  readonly partitionBytesMax: number;
  readonly embedWaitMs: number;
  /** Called if some rows of a partition have no vector yet. */
  needsVectors(loaded: LoadedPartition): void;
}

/** Parts that reading the entries of a page needs. */
export interface ReadParts extends TierCore {
  readonly readAhead: ReadAhead;
  readonly indexer: DocumentIndexer;
  readonly embedder: Embedder | undefined;
  readonly retention: Retention | undefined;
}

export interface RetrieveParts extends ReadParts {
  readonly analyzer: Analyzer;
  readonly reranker: Reranker | undefined;
  /** Counts requests that wait for an embedder. */
  readonly activeQueries: InFlightCounter;
  readonly logger: Logger;
  readonly embedWaitMs: number;
  readonly rerankWaitMs: number;
}
