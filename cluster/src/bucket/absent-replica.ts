import type { PeerInfo } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";

/** Silence after which a server counts as down. The leader of a stream uses the same. */
const ABSENT_AFTER_MS = 3_000;

/**
 * Whether a server with a copy of a stream may be down or late. Servers report a killed one as offline only minutes later, but
 * each of them answers its leader every second.
 */
export function isAbsent({ offline, current, active }: PeerInfo): boolean {
  return offline === true || !current || active === 0 || active > nanos(ABSENT_AFTER_MS);
}
