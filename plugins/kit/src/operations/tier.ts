import type { Clock, Embedder, Logger, Reranker } from "@membus/protocol";
import type { Journal, OperationMemory, RevisionMark } from "../journal/index.js";
import type {
  BodyCache,
  DocumentIndexer,
  Expiry,
  Foreground,
  PartitionRegistry,
  ReadAhead,
  Removals,
  Resident,
} from "../lifecycle/index.js";
import type { Holdings } from "../quotas/index.js";
import type { Retention } from "../retention.js";
import type { Analyzer } from "../search/index.js";
import type { ForgetOrder } from "./forget-order.js";

/** What every operation works on. */
export interface TierCore {
  /** The host's, but never below the newest time on disk. */
  readonly clock: Clock;
  readonly durable: boolean;
  readonly registry: PartitionRegistry;
  readonly bodies: BodyCache;
  readonly expiry: Expiry;
}

/** What mutations work on. */
export interface MutationParts extends TierCore {
  readonly journal: Journal;
  readonly operations: OperationMemory;
  readonly forgets: ForgetOrder;
  readonly removals: Removals;
}

export interface StoreParts extends MutationParts {
  readonly indexer: DocumentIndexer;
  /** Ids; the embedder's is "" where there is none. */
  readonly analyzerId: string;
  readonly embedderId: string;
  readonly retention: Retention | undefined;
  /** What holds the revisions of a tier in memory across restarts, where it has a folder. */
  readonly revisions: RevisionMark | undefined;
  /** What is held in a durable tier with quotas. */
  readonly holdings: Holdings | undefined;
  readonly partitionRowsMax: number;
  readonly partitionBytesMax: number;
  readonly embedWaitMs: number;
  /** Some rows of this partition have no vector yet. */
  needsVectors(resident: Resident): void;
}

/** What reads the entries of a page. */
export interface ReadParts extends TierCore {
  readonly readAhead: ReadAhead;
  readonly indexer: DocumentIndexer;
  readonly embedder: Embedder | undefined;
  readonly retention: Retention | undefined;
}

export interface RetrieveParts extends ReadParts {
  readonly analyzer: Analyzer;
  readonly reranker: Reranker | undefined;
  /** Requests that wait for an embedder. */
  readonly foreground: Foreground;
  readonly logger: Logger;
  /** The host's, which all its tiers share. */
  readonly hostClock: Clock;
  readonly embedWaitMs: number;
  readonly rerankWaitMs: number;
}
