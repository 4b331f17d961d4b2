import { type Clock, type Logger, silentLogger, systemClock } from "@membus/protocol";

export interface BusDependencies {
  /** Hears of callbacks that fail, of messages dropped and of what the server refuses. Without it nobody does. */
  readonly logger?: Logger;
  /** @default the machine's clock */
  readonly clock?: Clock;
}

export type ResolvedBusDependencies = Required<BusDependencies>;

export function resolveBusDependencies({
  logger = silentLogger,
  clock = systemClock,
}: BusDependencies): ResolvedBusDependencies {
  return { logger, clock };
}
