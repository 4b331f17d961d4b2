import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import { shardCountOption } from "../shard-count.js";

export const OwnershipOptionsSchema = optionSet({
  /** Name of this host in the cluster. No other running host has it. */
  host: option.token(),
  shardCount: shardCountOption,
  /**
   * Time after which the shards of a silent host go to others. All hosts need the same value. Servers elect a
   * new leader within 1.5 to 9 s, and a lower value moves shards then.
   */
  leaseMs: option.integer(1_000, 120_000).default(10_000),
  /** Time between two looks at the records of other hosts. */
  pollMs: option.integer(20, 10_000).default(250),
});

export interface OwnershipOptions extends OptionsOf<typeof OwnershipOptionsSchema> {}
export interface ResolvedOwnershipOptions extends ResolvedOptionsOf<typeof OwnershipOptionsSchema> {}
