import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import {
  MemoryError,
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  type ResolvedOptionsOf,
} from "@membus/protocol";
import { type LaunchServices, launchNatsServer, type NatsServer } from "./launch.js";

const ClusterOptionsSchema = optionSet({
  /** Path of the nats-server program. */
  binary: option.text(),
  /** Directory for configuration and JetStream data, one subdirectory per node. */
  directory: option.text(),
  /** Number of servers. */
  nodeCount: option.integer(1, 9).default(3),
  /** Whether JetStream syncs every write to disk before it answers. */
  syncAlways: option.boolean().default(false),
  /** Whether the servers tell clients the addresses of the other servers. */
  advertise: option.boolean().default(true),
  /** Additional lines of every server's configuration. */
  config: option.text().optional(),
});

export interface ClusterOptions extends OptionsOf<typeof ClusterOptionsSchema> {}
interface ResolvedClusterOptions extends ResolvedOptionsOf<typeof ClusterOptionsSchema> {}

/** A server of a cluster. Its name, its URL and its data stay the same when it starts again. */
export interface ClusterNode {
  /** Name of the server: n1, n2 and so on. */
  readonly name: string;
  readonly url: string;
  /** Directory of its JetStream data. */
  readonly storeDir: string;
  /** The process, or undefined while the node is down. */
  readonly server: NatsServer | undefined;
  /** Starts the node, unless it runs. */
  start(): Promise<void>;
  /** Stops the node with SIGKILL. */
  kill(): Promise<void>;
}

/** Running servers on loopback. Each of them ends when this process ends, even if the process is killed. */
export interface NatsCluster {
  readonly nodes: readonly ClusterNode[];
  readonly urls: readonly string[];
  /** Stops all nodes with SIGKILL. */
  kill(): Promise<void>;
}

const HOST = "127.0.0.1";
const PORT_MIN = 20_000;
const PORT_MAX = 32_000;
const ATTEMPTS_MAX = 1_000;

/**
 * Starts a JetStream cluster on 127.0.0.1. Resolves when every server accepts connections. JetStream answers a
 * few seconds later, when the servers have elected a leader.
 *
 * @throws {TypeError} for an unknown option or a value out of range.
 * @throws {MemoryError} `unavailable` if a server does not start. No process is left running.
 */
export async function launchNatsCluster(
  input: ClusterOptions,
  services: LaunchServices = {},
): Promise<NatsCluster> {
  const options = parseOptions(ClusterOptionsSchema, input);
  const ports = await freePorts(2 * options.nodeCount);
  const routePorts = ports.slice(options.nodeCount);
  const nodes = routePorts.map(
    (_, index) => new ServerNode(index, { port: ports[index]!, routePorts }, options, services),
  );
  const kill = async () => void (await Promise.all(nodes.map((node) => node.kill())));
  try {
    await Promise.all(nodes.map((node) => node.start()));
  } catch (error) {
    await kill();
    throw error;
  }
  return { nodes, urls: nodes.map(({ url }) => url), kill };
}

interface NodePorts {
  /** Port for clients. */
  readonly port: number;
  /** Ports of all nodes for each other. */
  readonly routePorts: readonly number[];
}

class ServerNode implements ClusterNode {
  readonly name: string;
  readonly url: string;
  readonly storeDir: string;
  readonly #ports: NodePorts;
  readonly #index: number;
  readonly #options: ResolvedClusterOptions;
  readonly #services: LaunchServices;
  #server: NatsServer | undefined;

  constructor(index: number, ports: NodePorts, options: ResolvedClusterOptions, services: LaunchServices) {
    this.name = `n${index + 1}`;
    this.url = `nats://${HOST}:${ports.port}`;
    this.storeDir = join(options.directory, this.name);
    this.#index = index;
    this.#ports = ports;
    this.#options = options;
    this.#services = services;
  }

  get server(): NatsServer | undefined {
    return this.#server;
  }

  async start(): Promise<void> {
    if (this.#server !== undefined) return;
    await mkdir(this.storeDir, { recursive: true });
    const configFile = join(this.#options.directory, `${this.name}.conf`);
    await writeFile(configFile, this.#configuration());
    const { binary } = this.#options;
    this.#server = await launchNatsServer({ binary, configFile, port: this.#ports.port }, this.#services);
  }

  async kill(): Promise<void> {
    await this.#server?.kill();
    this.#server = undefined;
  }

  #configuration(): string {
    const { syncAlways, advertise, config } = this.#options;
    const { routePorts } = this.#ports;
    const others = routePorts.filter((_, index) => index !== this.#index);
    const sync = syncAlways ? ", sync_interval: always" : "";
    return [
      `server_name: ${this.name}`,
      `jetstream { store_dir: ${JSON.stringify(this.storeDir)}${sync} }`,
      `cluster { name: membus, listen: "${HOST}:${routePorts[this.#index]}"`,
      `  no_advertise: ${!advertise}`,
      `  routes: [${others.map((port) => `"nats://${HOST}:${port}"`).join(", ")}] }`,
      config ?? "",
      "",
    ].join("\n");
  }
}

/**
 * Returns different ports that are free now. Servers need the ports of the others before these start. No system
 * gives ports of this range to outgoing connections, so they stay free while a node is down.
 */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let attempt = 0; ports.size < count; attempt++) {
    const port = randomInt(PORT_MIN, PORT_MAX);
    if (attempt > ATTEMPTS_MAX) throw new MemoryError("unavailable", "the machine has no free ports");
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, HOST), "listening");
  } catch {
    return false;
  }
  await once(server.close(), "close");
  return true;
}
