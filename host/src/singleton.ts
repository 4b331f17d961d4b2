import { type Bus, MemoryError } from "@membus/protocol";
import { alreadyServed, type FoundHost, HOSTS_SUBJECT, readFoundHost } from "./found-host.js";
import type { ResolvedHostOptions } from "./options.js";

/** Two hosts that start together settle it in two rounds; more of them take a few more. */
const ROUNDS_MAX = 20;

/**
 * Makes sure that no other host serves the same prefix and tenants: it would answer half of the requests from an
 * empty store (clause DISC-3). Of hosts that start together the one with the lowest id stays. This host must answer
 * discovery before it asks, so that of two at least one sees the other. The lower id may be the one that was not
 * seen, so while a higher one is still starting it asks again, until that one is gone or serves. It also asks again
 * when it did not hear itself: what came from others may be waiting behind the same work. What comes later still is
 * for `HostWatch`.
 * @throws {MemoryError} `conflict` naming the other host; `unavailable` when it never hears itself.
 */
export async function requireOnlyHost(bus: Bus, hostId: string, options: ResolvedHostOptions): Promise<void> {
  let rivals: FoundHost[] = [];
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const hosts = await findHosts(bus, options);
    rivals = hosts.filter(({ id, state }) => id !== hostId && (state === "starting" || state === "serving"));
    const stronger = rivals.find(({ id, state }) => state === "serving" || id < hostId);
    if (stronger !== undefined) throw alreadyServed(stronger.id, options);
    const hearsItself = hosts.some(({ id }) => id === hostId);
    if (rivals.length === 0 && hearsItself) return;
  }
  throw rivals[0] === undefined ? unheard(options) : alreadyServed(rivals[0].id, options);
}

/** The hosts of this prefix and any of these tenants, this one among them. */
async function findHosts(bus: Bus, options: ResolvedHostOptions): Promise<FoundHost[]> {
  const answers = await bus.requestMany(HOSTS_SUBJECT, new Uint8Array(), { waitMs: options.discoveryWaitMs });
  return answers.flatMap((answer) => readFoundHost(answer, options) ?? []);
}

function unheard({ inboxPrefixes }: ResolvedHostOptions): MemoryError {
  const message = "the host does not hear its own answers to discovery, so it would not notice another host";
  return new MemoryError("unavailable", message, { inbox_prefixes: inboxPrefixes.join(",") });
}
