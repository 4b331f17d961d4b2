import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ClusterNode, launchNatsCluster, type NatsCluster } from "@membus/nats-server";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection, nkeyAuthenticator } from "@nats-io/transport-node";
import { NATS_SERVER } from "../../bus/test/nats-server.js";

/** Longer than three servers take to elect their leaders on a loaded machine. */
const WAIT_MS = 60_000;

const INTERVAL_MS = 100;

/** Repeats a task until it succeeds, for a minute at most. Programs use it too, so it is not the one of vitest. */
export async function untilSucceeds<T>(task: () => Promise<T>): Promise<T> {
  const endsAt = Date.now() + WAIT_MS;
  for (;;) {
    try {
      return await task();
    } catch (error) {
      if (Date.now() >= endsAt) throw error;
      await sleep(INTERVAL_MS);
    }
  }
}

/** A user of servers with accounts. */
export interface NatsUser {
  readonly nkeySeed: string;
  readonly inboxPrefix: string;
}

export interface NatsClusterFixture {
  readonly cluster: NatsCluster;
  readonly connection: NatsConnection;
  /** Opens another connection, which reconnects without end. */
  connect(servers?: string | readonly string[]): Promise<NatsConnection>;
  /** Resolves when a stream with this number of replicas can be created. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface NatsClusterOptions {
  /** Further lines of the configuration of each server. */
  readonly config?: string;
  /** User of the connections, if the servers have users. */
  readonly user?: NatsUser;
  /** Whether JetStream syncs every write to disk before it answers. */
  readonly syncAlways?: boolean;
  /** Whether servers tell clients the addresses of the others. By default they do. */
  readonly advertise?: boolean;
}

/** Starts three servers with JetStream and waits until they answer. */
export async function openNatsCluster({
  user,
  ...servers
}: NatsClusterOptions = {}): Promise<NatsClusterFixture> {
  const directory = await mkdtemp(join(tmpdir(), "membus-cluster-"));
  const cluster = await launchNatsCluster({ binary: NATS_SERVER, directory, ...servers });
  const connections: NatsConnection[] = [];
  const open = async (servers: string | readonly string[] = cluster.urls) => {
    const settings = {
      ...{ maxReconnectAttempts: -1, reconnectTimeWait: 50, reconnectJitter: 0 },
      ...(user && {
        authenticator: nkeyAuthenticator(Buffer.from(user.nkeySeed)),
        inboxPrefix: user.inboxPrefix,
      }),
    };
    const connection = await connect({ servers: [servers].flat() as string[], ...settings });
    connections.push(connection);
    return connection;
  };
  const connection = await open();
  const ready = async () => {
    const { streams } = await jetstreamManager(connection, { checkAPI: false });
    const create = async () => {
      await streams.add({ name: "ready", subjects: ["ready"], num_replicas: 3 });
      return streams.delete("ready");
    };
    await untilSucceeds(create);
  };
  const close = async () => {
    await Promise.all(connections.map((each) => each.close().catch(() => undefined)));
    await cluster.kill();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await ready();
  } catch (error) {
    await close();
    throw error;
  }
  return { cluster, connection, connect: open, ready, close };
}

/** Returns the node that leads a stream. Waits while the servers elect it. */
export async function leaderOf(
  { cluster, connection }: NatsClusterFixture,
  stream: string,
): Promise<ClusterNode> {
  const { streams } = await jetstreamManager(connection, { checkAPI: false });
  const find = async () => {
    const leader = (await streams.info(stream)).cluster?.leader;
    const node = cluster.nodes.find(({ name }) => name === leader);
    if (node === undefined) throw new Error(`no node leads ${stream}`);
    return node;
  };
  return untilSucceeds(find);
}

/** Returns the number of messages that each stream has received, by name. */
export async function messageCounts({ connection }: NatsClusterFixture): Promise<Map<string, number>> {
  const { streams } = await jetstreamManager(connection, { checkAPI: false });
  const counts = new Map<string, number>();
  for await (const { config, state } of streams.list()) counts.set(config.name, state.last_seq);
  return counts;
}

/** Returns the names of the nodes with a file that contains the text. */
export async function nodesWith({ cluster }: NatsClusterFixture, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name, storeDir } of cluster.nodes) {
    const files = await readdir(storeDir, { recursive: true, withFileTypes: true });
    const bytes = files
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => readFile(join(parentPath, name)).catch(() => Buffer.alloc(0)));
    if ((await Promise.all(bytes)).some((content) => content.includes(text))) found.push(name);
  }
  return found;
}
