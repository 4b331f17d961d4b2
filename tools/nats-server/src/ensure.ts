import type { NatsServerBinary } from "./binary.js";
import { type FindOptions, findNatsServer } from "./find.js";
import { type InstallOptions, installNatsServer } from "./install/install.js";

/** What is found is used; how to install applies when nothing is. */
export interface EnsureOptions extends FindOptions, Omit<InstallOptions, "cacheDir"> {}

/**
 * A nats-server that runs: found, or else installed into membus's cache, saying so through `onStep`. Nothing is
 * installed instead of a wrong `explicitPath`.
 * @throws {TypeError} when `explicitPath` is not a nats-server.
 * @throws {MemoryError} `unavailable` when there is none and no way of installing it works: every reason, and
 * what to do by hand.
 */
export async function ensureNatsServer(options: EnsureOptions): Promise<NatsServerBinary> {
  const found = await findNatsServer(options);
  if (found !== undefined) return found;
  options.onStep("No nats-server found on the PATH or in membus's cache");
  return installNatsServer(options);
}
