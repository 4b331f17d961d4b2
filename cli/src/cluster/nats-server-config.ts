import { basename } from "node:path";

/** Ports for clients, for other servers, and for monitoring. */
const PORTS = { client: 4222, route: 6222, monitoring: 8222 };
const NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;

export interface NatsServerConfigOptions {
  /** Names of all nats-servers of the cluster, by which they and the hosts reach each other. */
  readonly servers: readonly string[];
  /** Folder of JetStream's files on each server. */
  readonly storeDir: string;
  /** Name of the file with the mapping, in the folder of the configuration. */
  readonly include: string;
}

/**
 * Returns the configuration of each nats-server, by its name.
 * @throws {TypeError} for a name that is no host name, for a repeated one, and for a file in another folder.
 */
export function natsServerConfigs(options: NatsServerConfigOptions): ReadonlyMap<string, string> {
  const { servers, include } = options;
  if (basename(include) !== include)
    throw new TypeError(
      `--include is ${include}, expected a file name: copy the file beside the configuration`,
    );
  const invalid = servers.find((server) => !NAME.test(server));
  if (invalid !== undefined)
    throw new TypeError(`--servers has ${JSON.stringify(invalid)}, expected host names`);
  const configs = new Map(servers.map((server) => [server, configOf(server, options)]));
  if (configs.size < servers.length) throw new TypeError("--servers has a name twice");
  return configs;
}

/** Addresses at which hosts ask the servers for their settings: `cluster.monitoring` of membus.yaml. */
export function monitoringOf(servers: readonly string[]): string[] {
  return servers.map((server) => `http://${server}:${PORTS.monitoring}`);
}

function configOf(server: string, { servers, storeDir, include }: NatsServerConfigOptions): string {
  const others = servers.filter((other) => other !== server);
  const routes = others.map((other) => `nats://${other}:${PORTS.route}`);
  const cluster = `# Only the other servers may reach the port of this block.
cluster {
  name: "membus"
  listen: "0.0.0.0:${PORTS.route}"
  routes: ${JSON.stringify(routes)}
}
`;
  return `server_name: ${JSON.stringify(server)}
listen: "0.0.0.0:${PORTS.client}"
# Only hosts and operators may reach this port.
http: "0.0.0.0:${PORTS.monitoring}"
jetstream {
  store_dir: ${JSON.stringify(storeDir)}
  # An acknowledged store survives a loss of power of all servers at once.
  sync_interval: always
}
${others.length === 0 ? "" : cluster}include ${JSON.stringify(include)}
`;
}
