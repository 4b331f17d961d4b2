import type { ShardOwnership } from "../ownership/index.js";

/** A shard that this host owns in one epoch. */
export interface ShardHold {
  readonly epoch: number;
  /** Whether the host may answer for the shard now. False while its lease waits for a late renewal. */
  readonly isOwned: boolean;
  /** Whether the epoch has ended for this host. */
  readonly isLost: boolean;
  /** Error of a request that is being repeated. */
  obstacle?: Error | undefined;
  /** @throws {MemoryError} `unavailable` unless the shard is owned now. */
  mustOwn(): void;
  /** Waits for a late renewal of the lease. @throws {MemoryError} `unavailable` once the shard is lost. */
  untilOwned(): Promise<void>;
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
    get isLost() {
      return !ownership.keeps(shard, epoch);
    },
    mustOwn: () => ownership.mustOwn(shard, epoch),
    untilOwned: () => ownership.untilOwned(shard, epoch),
    lose: (reason) => ownership.lose(shard, epoch, reason),
  };
}
