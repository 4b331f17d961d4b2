import {
  type Clock,
  CONTENT_TYPE_HEADER,
  decodeMessage,
  delay,
  isMemoryError,
  systemClock,
} from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { recordOf } from "../fixtures/bare-messages.js";

/** Time in which a host of the cluster hands a tenant over to another one, in milliseconds. */
const HAND_OVER_MS = 5_000;
const PAUSE_MS = 100;

/** Returns the bus of a cluster. It sends a request again if no host owned its tenant, within a time. */
export function untilReceived(bus: Bus, clock: Clock = systemClock): Pick<Bus, "request"> {
  return {
    async request(...request) {
      const until = clock.now() + HAND_OVER_MS / 1_000;
      for (;;) {
        const isLast = clock.now() >= until;
        const reply = await bus.request(...request).catch((error: unknown) => {
          if (isLast || !isUnreceived(error)) throw error;
          return undefined;
        });
        if (reply !== undefined && (isLast || !hasMoved(reply))) return reply;
        await delay(clock, PAUSE_MS);
      }
    },
  };
}

function isUnreceived(error: unknown): boolean {
  return isMemoryError(error) && error.detail.reason === "no_responders";
}

function hasMoved({ payload, headers }: BusMessage): boolean {
  const decoded = decodeMessage(payload, { contentType: headers[CONTENT_TYPE_HEADER] });
  return decoded.ok && recordOf(recordOf(decoded.message).detail).reason === "shard_moved";
}
