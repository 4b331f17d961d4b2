import { option } from "@membus/protocol";

/** Number of shards of a cluster. */
export const shardCountOption = option.integer(1, 256);
