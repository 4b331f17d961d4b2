import type { Clock, Embedder, Logger, Operation, Reranker } from "@membus/protocol";
import type { Journal } from "../journal/journal.js";
import type { OperationMemory } from "../journal/operation-memory.js";
import type { Foreground } from "../lifecycle/embedding/background-pace.js";
import type { DocumentIndexer } from "../lifecycle/embedding/index-document.js";
import type { Expiry } from "../lifecycle/expiry.js";
import type { Removals } from "../lifecycle/removals.js";
import type { BodyCache } from "../lifecycle/residency/body-cache.js";
import type { PartitionRegistry } from "../lifecycle/residency/partition-registry.js";
import type { ReadAhead } from "../lifecycle/residency/read-ahead.js";
import type { Resident } from "../lifecycle/residency/resident.js";
import type { Retention } from "../retention.js";
import type { Analyzer } from "../search/analyzer/index.js";
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
  /** Unix seconds below which no time of acceptance is taken: the newest on disk. */
  readonly clockFloor: number;
}

export interface StoreParts extends MutationParts {
  readonly indexer: DocumentIndexer;
  /** Ids; the embedder's is "" where there is none. */
  readonly analyzerId: string;
  readonly embedderId: string;
  readonly retention: Retention | undefined;
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

/** Unix seconds at which a mutation counts as accepted. */
export function acceptedAt({ clockFloor }: Pick<MutationParts, "clockFloor">, op: Operation): number {
  return Math.max(op.accepted_at, clockFloor);
}
