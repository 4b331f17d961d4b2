import type { LogPart } from "@membus/disk";
import type { MemoryTier } from "@membus/protocol";
import type { StoragePart } from "../storage.js";

/**
 * Flush progress and the newest time on disk. It may lag behind the actual state, but is never ahead of it.
 */
export interface FlushMarker {
  readonly flushedSeq: number;
  /** Unix seconds. */
  readonly newestAt: number;
  /** Ids of a few recently written scopes, the latest last. */
  readonly scopes: readonly string[];
}

/** Expected contents of a tier's folder. */
export interface FolderFacts extends FlushMarker {
  /** A UUID. */
  readonly id: string;
  readonly tier: MemoryTier;
  readonly log: readonly LogPart[];
  readonly parts: readonly RecordedPart[];
  readonly erased: ErasedMark;
  /** Owners with an erasure that has started. The next open completes it. */
  readonly erasing: readonly Owner[];
}

/** The last record with forgotten bytes that are erased from disk, and the time of the erasure. */
export interface ErasedMark {
  readonly seq: number;
  /** Unix seconds. 0 before the first erasure. */
  readonly at: number;
}

/** An agent of a tenant, or without `agent` the whole tenant. */
export interface Owner {
  readonly tenant: string;
  readonly agent?: string;
}

/** Last durable state of a part of the storage. */
export type RecordedPart = Omit<StoragePart, "owner" | "keptContentId">;
