import { connect, type NatsConnection } from "@nats-io/transport-node";
import { NatsFixture } from "../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { createClusterBucket } from "../src/bucket/index.js";
import { ClusterBucket } from "../src/index.js";

const REQUEST_TIMEOUT_MS = 5_000;

/** A server with JetStream, connections to it, and buckets in it. `close` ends all of them. */
export class ClusterFixture {
  readonly #nats: NatsFixture;
  readonly url: string;
  readonly connection: NatsConnection;
  #bucketCount = 0;

  private constructor(nats: NatsFixture, url: string, connection: NatsConnection) {
    this.#nats = nats;
    this.url = url;
    this.connection = connection;
  }

  /** @param mappings lines of the server's configuration */
  static async open(mappings = ""): Promise<ClusterFixture> {
    const nats = new NatsFixture();
    const configFile = await nats.file("nats.conf", mappings);
    const server = await nats.launch({ binary: NATS_SERVER, configFile, storeDir: await nats.folder() });
    const connection = await connect({ servers: server.url });
    nats.onClose(() => connection.close());
    return new ClusterFixture(nats, server.url, connection);
  }

  onClose(cleanup: () => Promise<unknown>): void {
    this.#nats.onClose(cleanup);
  }

  /** Opens another connection, which reconnects without end. */
  async connect(servers = this.url): Promise<NatsConnection> {
    const settings = { maxReconnectAttempts: -1, reconnectTimeWait: 20, reconnectJitter: 0 };
    const connection = await connect({ servers, ...settings });
    this.onClose(() => connection.close());
    return connection;
  }

  /** Creates a bucket and returns its name. */
  async createBucket(): Promise<string> {
    this.#bucketCount += 1;
    const name = `cluster-${this.#bucketCount}`;
    await createClusterBucket(this.connection, name, 1);
    return name;
  }

  async openBucket(name?: string): Promise<ClusterBucket> {
    const existing = name ?? (await this.createBucket());
    return ClusterBucket.open(this.connection, { name: existing, requestTimeoutMs: REQUEST_TIMEOUT_MS });
  }

  close(): Promise<void> {
    return this.#nats.close();
  }
}
