import type { ShardHold } from "../place/index.js";

/** A shard that this host has acquired. */
export interface OwnedShard {
  readonly shard: number;
  readonly hold: ShardHold;
  /** Whether the shard opens without the records and tables that are missing. */
  readonly acceptLoss?: boolean;
  /** Damaged tables that an operator gives up. */
  readonly givenUp?: readonly string[];
}
