import { CONTENT_TYPE_HEADER, decodeMessage, delay, isMemoryError, systemClock } from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { recordOf } from "../fixtures/bare-messages.js";

/** Time in which another host of the cluster takes over a tenant, in milliseconds. */
const TAKE_OVER_MS = 30_000;
const PAUSE_MS = 100;

/**
 * Returns the bus of a cluster. It sends a request again while the tenant moves from one host to another, and no host
 * receives or answers it (clause DISC-9).
 */
export function untilReceived(bus: Bus): Pick<Bus, "request"> {
  return {
    async request(...request) {
      const until = systemClock.now() + TAKE_OVER_MS / 1_000;
      for (;;) {
        const isLast = systemClock.now() >= until;
        const reply = await bus.request(...request).catch((error: unknown) => {
          if (isLast || !isMemoryError(error) || error.code !== "unavailable") throw error;
          return undefined;
        });
        if (reply !== undefined && (isLast || !hasMoved(reply))) return reply;
        await delay(systemClock, PAUSE_MS);
      }
    },
  };
}

function hasMoved({ payload, headers }: BusMessage): boolean {
  const decoded = decodeMessage(payload, { contentType: headers[CONTENT_TYPE_HEADER] });
  return decoded.ok && recordOf(recordOf(decoded.message).detail).reason === "shard_moved";
}
