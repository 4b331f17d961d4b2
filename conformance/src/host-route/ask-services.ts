import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { PATIENCE_MS } from "../fixtures/patience.js";
import { answersTo } from "./answers-to.js";

const WAITS = { firstMs: PATIENCE_MS, othersMs: 200 };

/** Returns every answer to a request on a NATS service subject. */
export function askServices(bus: Bus, subject: string): Promise<readonly BusMessage[]> {
  return answersTo(bus, subject, new Uint8Array(), WAITS);
}
