import { connectNatsBus, serverAddress } from "@membus/bus";
import { systemClock } from "@membus/protocol";
import { asAuthHost } from "../auth/auth-host.js";
import type { StartOptions } from "../compose/compose-plugins.js";
import type { Config } from "../config/config-schema.js";
import { collectGarbageEarly, memoryLimit } from "../config/memory-limit.js";
import { natsOptions } from "../flags/nats-options.js";
import { withHealth } from "../health/with-health.js";
import { createLogger } from "../logger.js";
import type { Session } from "../session.js";
import { untilSignalled } from "../until-signalled.js";

/**
 * Runs a host of a cluster until a signal. It then hands its shards over.
 * @throws {TypeError} for settings that a cluster does not support. Else as `composeClusterHost` does.
 */
export async function upCluster({ config: given, output }: Session, start: StartOptions): Promise<void> {
  refuseUnsupported(given, start);
  const config = asAuthHost(given);
  const logger = createLogger(config.log_level);
  const limit = memoryLimit(config.memory_limit);
  collectGarbageEarly(limit);
  const bus = await connectNatsBus(
    { ...(await natsOptions(config, "membus-host")), intakeThread: true },
    { logger, clock: systemClock },
  );
  try {
    const { composeClusterHost } = await import("./compose-cluster-host.js");
    const parts = { bus, logger, env: process.env, limit };
    const { host, name, identity, serve } = await composeClusterHost(config, parts);
    const sources = { stats: () => host.stats(), busState: () => bus.state };
    await withHealth(config, sources, output.note, async () => {
      await host.start();
      const serving = serve();
      try {
        const signalled = untilSignalled(host.stopped);
        const url = serverAddress(config.nats.url!);
        const { id: cluster, store, prefix } = identity;
        const shown = { url, cluster, host: name, store, prefix, host_id: host.id };
        output.result(shown, () => `host ${name} serves cluster ${cluster} on ${url}\nPress Ctrl-C to stop.`);
        await signalled;
        output.note("stopping: handing shards over");
      } finally {
        await serving.stop();
        await host.stop();
      }
    });
  } finally {
    await bus.close();
  }
}

function refuseUnsupported(config: Config, start: StartOptions): void {
  const refuse = (isGiven: boolean | undefined, what: string, remedy: string) => {
    if (isGiven) throw new TypeError(`${what} is not supported in a cluster: ${remedy}`);
  };
  if (config.nats.url === undefined)
    throw new TypeError("a cluster needs running nats-servers: name them with --cluster or nats.url");
  if (config.audit && config.audit_key === undefined)
    throw new TypeError("audit in a cluster needs audit_key, a file with the same secret for all hosts");
  refuse(start.repair, "--repair", "the log is in JetStream");
  refuse(start.acceptLoss, "--accept-loss", "run `membus cluster accept-loss`");
  refuse(start.readOnly, "--read-only", "serve a data folder instead");
  refuse(config.http !== false, "http", "run `membus gateway` beside the host");
  refuse(config.durability !== "disk", "durability", "set sync_interval of the nats-servers");
  refuse(config.log !== undefined, "log", "the log is in JetStream");
}
