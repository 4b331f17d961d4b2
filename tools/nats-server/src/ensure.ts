import type { NatsServerBinary } from "./binary.js";
import { type FindOptions, findNatsServer } from "./find.js";
import { type InstallOptions, installNatsServer } from "./install/install.js";

/** Options to find a nats-server, and to install it if none is found. */
export interface EnsureOptions extends FindOptions, Omit<InstallOptions, "cacheDir"> {}

/**
 * Returns a working nats-server: found, or else installed into the cache of membus. Steps are reported
 * through `onStep`. An invalid `explicitPath` is not replaced by an installation.
 *
 * @throws {TypeError} if `explicitPath` is not a nats-server.
 * @throws {MemoryError} `unavailable` if none is found and no install method works. The message contains all
 * reasons and manual instructions.
 */
export async function ensureNatsServer(options: EnsureOptions): Promise<NatsServerBinary> {
  const found = await findNatsServer(options);
  if (found !== undefined) return found;
  options.onStep("No nats-server found on the PATH or in the cache of membus");
  return installNatsServer(options);
}
