import type { Bus } from "@membus/protocol";
import { describe } from "vitest";
import { describeClosing } from "./contract-closing.js";
import { describeDelivery } from "./contract-delivery.js";
import { describeFailures } from "./contract-failures.js";
import { describeRequests } from "./contract-requests.js";
import type { RecordingLogger } from "./recording-logger.js";

export interface BusUnderTest {
  readonly bus: Bus;
  readonly logger: RecordingLogger;
}

export interface BusSettings {
  readonly inboxPrefix?: string;
  readonly closeTimeoutMs?: number;
}

/** A new bus with a limit of 1 MiB, shared with nobody; whoever gave it closes it after the test. */
export type BusSetup = (settings?: BusSettings) => Promise<BusUnderTest>;

/** What every implementation of the `Bus` port does. */
export function describeBusContract(name: string, setup: BusSetup): void {
  describe(name, () => {
    describeDelivery(setup);
    describeRequests(setup);
    describeFailures(setup);
    describeClosing(setup);
  });
}
