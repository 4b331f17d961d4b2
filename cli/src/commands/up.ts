import { readFile } from "node:fs/promises";
import { connectNatsBus, serverAddress } from "@membus/bus";
import type { GatewayOptions } from "@membus/gateway";
import type { Host } from "@membus/host";
import type { NatsServer } from "@membus/nats-server";
import { DEFAULT_PREFIX, MemoryError, requestSubject, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { Command } from "commander";
import { asAuthGateway, asAuthHost, authConfigPath, reloadOnChange } from "../auth/auth-host.js";
import { recordHost } from "../coding-agents/host-record.js";
import type { StartOptions } from "../compose/compose-plugins.js";
import type { Config } from "../config/config-schema.js";
import { collectGarbageEarly, memoryLimit } from "../config/memory-limit.js";
import { withControl } from "../control/with-control.js";
import { CLUSTER_NAME_FLAG, refuseData, refuseEmbedded } from "../flags/cluster-flags.js";
import { definedOnly } from "../flags/defined-only.js";
import { numberFlag } from "../flags/json-argument.js";
import { natsOptions } from "../flags/nats-options.js";
import { type PluginFlag, pluginOption } from "../flags/plugin-flag.js";
import { httpOptions } from "../gateway/gateway-options.js";
import { type GatewayParts, type RunningGateway, withGateway } from "../gateway/with-gateway.js";
import { withHealth } from "../health/with-health.js";
import { createLogger } from "../logger.js";
import { openSession, type Session } from "../session.js";
import { untilSignalled } from "../until-signalled.js";

interface UpFlags {
  readonly data?: string;
  readonly cluster?: string;
  readonly store?: string;
  readonly clusterName?: string;
  readonly hostName?: string;
  readonly port?: string;
  readonly natsServer?: string;
  readonly memoryLimit?: string;
  readonly auth?: string;
  readonly durability?: "disk" | "process";
  readonly logLevel?: "debug" | "info" | "warn" | "error" | "silent";
  readonly audit?: boolean;
  readonly healthPort?: string;
  readonly http?: string | true;
  readonly repair?: boolean;
  readonly acceptLoss?: boolean;
  readonly readOnly?: boolean;
  readonly plugin?: PluginFlag;
}

export function registerUp(program: Command): void {
  program
    .command("up")
    .description("run a host, with an embedded nats-server on loopback unless NATS_URL or --nats is set")
    .option("--data <folder>", "data folder (default ./.membus)")
    .option(
      "--cluster <urls>",
      "be a host of a cluster on these nats-servers, such as nats://a,nats://b,nats://c",
    )
    .option(
      "--store <url>",
      "refuse to start unless the cluster's tables are at this place, such as s3://bucket/path",
    )
    .option(...CLUSTER_NAME_FLAG)
    .option("--host-name <name>", "name of the host in the cluster (default: of the machine)")
    .option("--port <number>", "port of the embedded nats-server (default 4222)")
    .option("--nats-server <path>", "nats-server binary to run")
    .option(
      "--memory-limit <size>",
      "memory limit of the host, such as 2GiB (default: the container's limit)",
    )
    .option("--auth <folder>", "auth folder written by `membus auth`: who may connect, and the host's key")
    .option(
      "--durability <kind>",
      "failure that acknowledged stores survive: disk (power loss) or process (kill -9)",
    )
    .addOption(pluginOption())
    .option("--log-level <level>", "debug, info, warn, error or silent")
    .option("--audit", "log one line per request, without contents")
    .option(
      "--repair",
      "open a corrupt log without its unreadable records, keeping a copy of the damaged files",
    )
    .option(
      "--accept-loss",
      "open a folder with missing parts, and set aside parts that belong to another folder",
    )
    .option("--read-only", "serve the data folder, such as a copy, without changing it")
    .option("--health-port <port>", "serve /healthz, /readyz and /metrics on this loopback port")
    .option(
      "--http [address]",
      "also run the HTTP gateway, as `membus gateway` does (default 127.0.0.1:8765)",
    )
    .action(async (flags: UpFlags, command: Command) => {
      const session = await openSession(command, upConfig(flags));
      const { repair = false, acceptLoss = false, readOnly = false } = flags;
      const start = { repair, acceptLoss, readOnly };
      if (session.config.cluster === undefined) return up(session, start);
      refuseData(flags.data);
      refuseEmbedded(flags);
      const { upCluster } = await import("../cluster/up-cluster.js");
      await upCluster(session, start);
    });
}

function upConfig(flags: UpFlags) {
  const { data, memoryLimit, durability, audit, logLevel, port, natsServer, auth, healthPort } = flags;
  const { plugin: plugins, http } = flags;
  const cluster = definedOnly({ store: flags.store, name: flags.clusterName, host: flags.hostName });
  const isCluster = flags.cluster !== undefined || Object.keys(cluster).length > 0;
  const nats = definedOnly({
    url: flags.cluster,
    server: natsServer,
    auth,
    port: port === undefined ? undefined : numberFlag("--port", port),
  });
  return {
    ...definedOnly({
      data,
      memory_limit: memoryLimit,
      durability,
      audit,
      log_level: logLevel,
      plugins,
      http,
    }),
    ...(Object.keys(nats).length === 0 ? {} : { nats }),
    ...(isCluster && { cluster }),
    ...(healthPort && { health: { port: numberFlag("--health-port", healthPort), host: "127.0.0.1" } }),
  };
}

async function up({ config: given, output }: Session, start: StartOptions): Promise<void> {
  const http = httpOptions(given, { readOnly: start.readOnly === true }, process.env);
  const config = asAuthHost(given);
  const gatewayConfig = http === undefined ? config : asAuthGateway(given);
  const logger = createLogger(config.log_level);
  const limit = memoryLimit(config.memory_limit);
  collectGarbageEarly(limit);
  const server = config.nats.url === undefined ? await startServer(config, output.note, logger) : undefined;
  const url = config.nats.url ?? server!.url;
  try {
    const bus = await connectNatsBus(
      { ...(await natsOptions(config, "membus-host")), servers: url, intakeThread: true },
      { logger, clock: systemClock },
    );
    try {
      // Imported here so that other commands start without loading a database.
      const { composeHost } = await import("../compose/compose-host.js");
      const { fitToMemory } = await import("../compose/memory-budget.js");
      const parts = { bus, logger, env: process.env, ...start };
      const composed = await composeHost(fitToMemory(config, limit), parts);
      const { host } = composed;
      const { removeStaged, snapshotCommand } = await import("../backup/staged-snapshot.js");
      const { eraseCommand } = await import("../erase/serving-host.js");
      const commands = {
        snapshot: snapshotCommand(composed, config.data),
        erase: eraseCommand(composed, config.data),
      };
      const sources = { stats: () => host.stats(), busState: () => bus.state };
      await withHealth(config, sources, output.note, async () => {
        await host.start();
        if (!start.readOnly) await removeStaged(config.data);
        const shownUrl = serverAddress(url);
        const listening = { url: shownUrl, data: config.data, prefix: config.prefix, host_id: host.id };
        const run = async (gateway?: RunningGateway) => {
          const shown = { ...listening, ...(gateway && { http: gateway.url }) };
          if (!start.readOnly) await announce(config, shownUrl, logger);
          // Signal handlers are installed before the address is printed, because the reader may stop the
          // process immediately.
          const signalled = untilSignalled(Promise.race(failures(host, server?.exited)));
          output.result(shown, () => banner(config, shownUrl, gateway));
          await signalled;
          output.note("stopping: completing requests in progress");
        };
        const serve = () => stopAfter(host, http, { config: gatewayConfig, servers: url, logger }, run);
        // The control socket is in the data folder, which must not change in read-only mode.
        await (start.readOnly ? serve() : withControl(config.data, commands, logger, serve));
      });
    } finally {
      await bus.close();
    }
  } finally {
    await server?.stop();
  }
}

/** Lets other programs of the user find the host. A container may have no folder for that. */
async function announce(config: Config, url: string, logger: Logger): Promise<void> {
  await recordHost(config, url, process.env).catch((error: Error) => {
    logger.debug({ error: error.message }, "the address of the host was not recorded");
  });
}

/**
 * Runs `work`, then stops the gateway, then the host, because the host answers the gateway's last requests.
 */
async function stopAfter(
  host: Host,
  http: GatewayOptions | undefined,
  parts: Omit<GatewayParts, "options">,
  work: (gateway?: RunningGateway) => Promise<void>,
): Promise<void> {
  try {
    await (http === undefined ? work() : withGateway({ ...parts, options: http }, work));
  } finally {
    await host.stop();
  }
}

/** Returns promises that resolve if the host or the nats-server stops without a signal. */
function failures(
  host: Host,
  serverExited: Promise<unknown> | undefined,
): Promise<MemoryError | undefined>[] {
  const serverStopped = serverExited?.then(
    () => new MemoryError("unavailable", "the embedded nats-server has stopped"),
  );
  return serverStopped === undefined ? [host.stopped] : [host.stopped, serverStopped];
}

async function startServer(
  config: Config,
  note: (line: string) => void,
  logger: Logger,
): Promise<NatsServer> {
  const { ensureNatsServer, launchNatsServer } = await import("@membus/nats-server");
  const { path } = await ensureNatsServer({
    env: process.env,
    onStep: note,
    ...definedOnly({ explicitPath: config.nats.server }),
  });
  const { auth, port, nkey } = config.nats;
  const restricted = nkey === undefined ? {} : { nkey: await publicKey(nkey) };
  const configured = auth === undefined ? restricted : { configFile: authConfigPath(auth) };
  const server = await launchNatsServer({ binary: path, port, ...configured }, { logger });
  if (auth === undefined) return server;
  const stopWatching = reloadOnChange(auth, server);
  void server.exited.then(stopWatching);
  return server;
}

/** Returns the public key of a seed. @throws {TypeError} for a file without a seed. */
async function publicKey(path: string): Promise<string> {
  const { fromSeed } = await import("@nats-io/nkeys");
  try {
    return fromSeed(new TextEncoder().encode((await readFile(path, "utf8")).trim())).getPublicKey();
  } catch (error) {
    throw new TypeError(`nats.nkey: cannot read a seed from ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function banner({ data, prefix, tenant, nats }: Config, url: string, gateway?: RunningGateway): string {
  const subject = requestSubject({ tenant, agent: "alice", type: "memory/store/req" }, prefix);
  const entry =
    '{"type":"memory/store/req","entries":[{"key":"greeting","content":"hello","tier":"episodic"}]}';
  const address = [
    prefix === DEFAULT_PREFIX ? "" : `, prefix: "${prefix}"`,
    tenant === "default" ? "" : `, tenant: "${tenant}"`,
  ].join("");
  const http = gateway === undefined ? [] : [gateway.banner];
  const listening = [`membus is listening on ${url}`, ...http, `data folder: ${data}`, ""];
  if (nats.auth !== undefined) {
    return [
      ...listening,
      "agents connect with the keys created by `membus auth add-agent`",
      "Press Ctrl-C to stop.",
    ].join("\n");
  }
  return [
    ...listening,
    "Try it with the NATS command line (https://github.com/nats-io/natscli):",
    `  nats req -s ${url} ${subject} '${entry}'`,
    "or from JavaScript:",
    '  import { MemoryClient } from "membus";',
    `  const memory = await MemoryClient.connect({ servers: "${url}", agent: "alice"${address} });`,
    '  await memory.remember("user_name", "Alice");',
    "",
    "Press Ctrl-C to stop.",
  ].join("\n");
}
