import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Host } from "@membus/host";
import type { Bus, Logger } from "@membus/protocol/plugin";
import { type ConfigFile, composeHost, resolveConfig } from "../../src/host.js";

/** A running host with its own data folder. */
export interface ComposedHost {
  readonly host: Host;
  /** Stops the host and removes its folder. */
  remove(): Promise<void>;
}

/**
 * Starts a host on `bus` with the real plugins, as `membus up` does. `config` is the contents of
 * `membus.yaml`.
 */
export async function startComposedHost(
  bus: Bus,
  logger: Logger,
  config: ConfigFile = {},
): Promise<ComposedHost> {
  const data = await mkdtemp(join(tmpdir(), "membus-wire-"));
  const resolved = await resolveConfig({ flags: { data, ...config }, env: {} });
  const { host } = await composeHost(resolved, { bus, logger, env: {} });
  const remove = async () => {
    await host.stop();
    await rm(data, { recursive: true, force: true });
  };
  try {
    await host.start();
    return { host, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
