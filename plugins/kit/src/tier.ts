import type { Clock, Logger, MemoryChange, Operation, PluginServices } from "@membus/protocol";
import type { Analyzer } from "./search/analyzer/index.js";
import type { Foreground } from "./lifecycle/embedding/foreground.js";
import type { DocumentIndexer } from "./lifecycle/embedding/index-document.js";
import type { Journal } from "./journal/journal.js";
import type { OperationMemory } from "./journal/operation-memory.js";
import type { RemovedRow } from "./search/partition/removed-row.js";
import type { ReadAhead } from "./operations/retrieve/read-ahead.js";
import type { BodyCache } from "./lifecycle/residency/body-cache.js";
import type { PartitionRegistry } from "./lifecycle/residency/partition-registry.js";
import type { Resident } from "./lifecycle/residency/resident.js";
import type { Retention } from "./retention.js";
import type { RowFacets } from "./row.js";
import type { ForgetOrder } from "./operations/forget-order.js";

/** The parts of one open tier, as the operations share them. */
export interface Tier {
  readonly services: PluginServices;
  /** The host's, but never below the newest time on disk. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly durable: boolean;
  readonly analyzer: Analyzer;
  /** Requests that wait for an embedder. */
  readonly foreground: Foreground;
  readonly indexer: DocumentIndexer;
  readonly journal: Journal;
  readonly operations: OperationMemory;
  readonly registry: PartitionRegistry;
  readonly bodies: BodyCache;
  readonly readAhead: ReadAhead;
  readonly forgets: ForgetOrder;
  readonly retention?: Retention | undefined;
  /** Unix seconds below which no time of acceptance is taken: the newest on disk. */
  readonly clockFloor: number;
  readonly partitionRowsMax: number;
  readonly partitionBytesMax: number;
  readonly embedWaitMs: number;
  readonly rerankWaitMs: number;
  /** Expired versions that storage may still hold, by scope id. */
  readonly expired: Map<string, number[]>;
  /** Some rows of this partition have no vector yet. */
  needsVectors(resident: Resident): void;
}

/** Unix seconds at which a mutation counts as accepted. */
export function acceptedAt(tier: Tier, op: Operation): number {
  return Math.max(op.accepted_at, tier.clockFloor);
}

/** Takes a version out of RAM and tells why, on behalf of `agent`, or of its author. */
export function removeRow(
  tier: Tier,
  resident: Resident,
  version: { readonly keyHash: string; readonly rowId: number },
  change: { readonly action: MemoryChange["action"]; readonly agent?: string },
): boolean {
  const removed = resident.partition.remove(version.keyHash, version.rowId);
  if (removed === undefined) return false;
  reportRemoved(tier, resident, removed, change);
  return true;
}

/** What has to be done for a row that has left its partition. */
export function reportRemoved(
  tier: Tier,
  resident: Resident,
  removed: RemovedRow,
  { action, agent }: { readonly action: MemoryChange["action"]; readonly agent?: string },
): void {
  const facets = JSON.parse(removed.facets) as RowFacets;
  tier.bodies.drop(removed.rowId);
  tier.retention?.removed({ scope: resident.id, keyHash: removed.keyHash });
  tier.services.notify(
    {
      action,
      scope: resident.scope,
      key: facets.key,
      key_hash: removed.keyHash,
      tags: facets.tags,
      ...(removed.group === "" ? {} : { group: removed.group }),
      revision: removed.revision,
      author: facets.author,
    },
    agent ?? facets.author,
  );
}
