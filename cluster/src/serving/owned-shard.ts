import type { ShardHold } from "../place/index.js";

/** A shard that this host has acquired. */
export interface OwnedShard {
  readonly shard: number;
  readonly hold: ShardHold;
}
