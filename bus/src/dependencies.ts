import { type Clock, silentLogger, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";

export interface BusDependencies {
  /** Logs failed callbacks, dropped messages and refusals of the server. By default nothing is logged. */
  readonly logger?: Logger;
  /** @default the system clock */
  readonly clock?: Clock;
}

export type ResolvedBusDependencies = Required<BusDependencies>;

export function resolveBusDependencies({
  logger = silentLogger,
  clock = systemClock,
}: BusDependencies): ResolvedBusDependencies {
  return { logger, clock };
}
