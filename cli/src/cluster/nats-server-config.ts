import { basename, join } from "node:path";

/** Ports for clients, for other servers, and for monitoring. */
const PORTS = { client: 4222, route: 6222, monitoring: 8222 };
const NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;

/** A nats-server of a cluster. */
export interface PlannedServer {
  readonly name: string;
  /** Host by which hosts and the other servers reach it. */
  readonly address: string;
  /** Address on which it listens. */
  readonly listen: string;
  readonly ports: typeof PORTS;
  /** Folder of JetStream's files. */
  readonly storeDir: string;
}

/**
 * Returns servers on machines of these names.
 * @throws {TypeError} for a name that is no host name, for a repeated one, and for two servers.
 */
export function serversNamed(names: readonly string[], storeDir: string): PlannedServer[] {
  const invalid = names.find((name) => !NAME.test(name));
  if (invalid !== undefined)
    throw new TypeError(`--servers has ${JSON.stringify(invalid)}, expected host names`);
  if (new Set(names).size < names.length) throw new TypeError("--servers has a name twice");
  if (names.length === 2)
    throw new TypeError("two servers fail if one of them does: name one, or at least three");
  return names.map((name) => ({ name, address: name, listen: "0.0.0.0", ports: PORTS, storeDir }));
}

/** Returns three servers on this machine for a trial, with their files in this folder. */
export function localServers(folder: string): PlannedServer[] {
  const { client, route, monitoring } = PORTS;
  return [0, 1, 2].map((at) => {
    const [name, address] = [`n${at + 1}`, "127.0.0.1"];
    const ports = { client: client + at, route: route + at, monitoring: monitoring + at };
    return { name, address, listen: address, ports, storeDir: join(folder, name) };
  });
}

/**
 * Returns the configuration of each server, by its name.
 * @param include name of the file with the mapping, in the folder of the configuration.
 * @throws {TypeError} for a file in another folder.
 */
export function natsServerConfigs(
  servers: readonly PlannedServer[],
  include: string,
): ReadonlyMap<string, string> {
  if (basename(include) !== include)
    throw new TypeError(
      `--include is ${include}, expected a file name: copy the file beside the configuration`,
    );
  return new Map(servers.map((server) => [server.name, configOf(server, servers, include)]));
}

/** Addresses at which hosts ask the servers for their settings: `cluster.monitoring` of membus.yaml. */
export function monitoringOf(servers: readonly PlannedServer[]): string[] {
  return servers.map(({ address, ports }) => `http://${address}:${ports.monitoring}`);
}

/** Addresses for clients. */
export function urlsOf(servers: readonly PlannedServer[]): string[] {
  return servers.map(({ address, ports }) => `nats://${address}:${ports.client}`);
}

function configOf(server: PlannedServer, servers: readonly PlannedServer[], include: string): string {
  const { name, listen, ports, storeDir } = server;
  const others = servers.filter((other) => other !== server);
  const routes = others.map(({ address, ports: { route } }) => `nats://${address}:${route}`);
  const cluster = `# Only the other servers may reach the port of this block.
cluster {
  name: "membus"
  listen: "${listen}:${ports.route}"
  routes: ${JSON.stringify(routes)}
}
`;
  return `server_name: ${JSON.stringify(name)}
listen: "${listen}:${ports.client}"
# Only hosts and operators may reach this port.
http: "${listen}:${ports.monitoring}"
jetstream {
  store_dir: ${JSON.stringify(storeDir)}
  # An acknowledged store survives a loss of power of all servers at once.
  sync_interval: always
}
${others.length === 0 ? "" : cluster}include ${JSON.stringify(include)}
`;
}
