import type { ShardOwnership } from "../ownership/index.js";

/** A shard that this host owns in one epoch. */
export interface ShardHold {
  readonly epoch: number;
  readonly isOwned: boolean;
  /** Error of a request that is being repeated. */
  obstacle?: Error | undefined;
  /** @throws {MemoryError} `unavailable` unless this host still owns the shard in this epoch. */
  mustOwn(): void;
  /** Gives the shard up, because another epoch has written to it. */
  lose(reason: string): void;
}

/** Returns the hold on a shard that was acquired in this epoch. */
export function holdShard(ownership: ShardOwnership, shard: number, epoch: number): ShardHold {
  return {
    epoch,
    get isOwned() {
      return ownership.epochOf(shard) === epoch;
    },
    mustOwn: () => ownership.mustOwn(shard, epoch),
    lose: (reason) => ownership.lose(shard, epoch, reason),
  };
}
