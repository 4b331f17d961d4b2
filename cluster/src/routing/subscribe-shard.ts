import type { Bus, BusMessage, BusSubscription } from "@membus/protocol/plugin";
import type { ShardHold } from "../place/index.js";
import { parseShardSubject, shardSubject } from "./shard-mappings.js";

/**
 * Receives the requests of an owned shard under their original subjects. Requests that arrive after the shard is
 * lost are dropped, and their senders repeat them. There is no queue group: it could give a request to a host
 * that has lost the shard without knowing.
 */
export function subscribeShard(
  bus: Bus,
  { shard, prefix, hold }: { readonly shard: number; readonly prefix: string; readonly hold: ShardHold },
  onRequest: (request: BusMessage) => void | Promise<void>,
): BusSubscription {
  return bus.subscribe(shardSubject(shard, prefix), (message) => {
    if (!hold.isOwned) return;
    return onRequest({ ...message, subject: parseShardSubject(message.subject).subject });
  });
}
