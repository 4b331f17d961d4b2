import type { Bus } from "@membus/protocol/plugin";
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

/** Creates a separate bus with a limit of 1 MiB. It is closed after the test. */
export type BusSetup = (settings?: BusSettings) => Promise<BusUnderTest>;

/** Tests that every `Bus` implementation must pass. */
export function describeBusContract(name: string, setup: BusSetup): void {
  describe(name, () => {
    describeDelivery(setup);
    describeRequests(setup);
    describeFailures(setup);
    describeClosing(setup);
  });
}
