import type { Logger } from "@membus/protocol/plugin";
import type { ShardHold } from "../place/index.js";

/**
 * Returns the logger of a shard. Once the shard is lost, failures of its work are `info`: the next owner does this
 * work, and senders repeat their requests. Ownership logs the loss as a warning.
 */
export function shardLogger(logger: Logger, hold: ShardHold): Logger {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger[hold.isLost ? "info" : "warn"](fields, message),
    error: (fields, message) => logger[hold.isLost ? "info" : "error"](fields, message),
  };
}
