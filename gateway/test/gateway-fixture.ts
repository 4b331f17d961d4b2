import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectNatsBus } from "@membus/bus";
import { createHost } from "@membus/host";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { createLruPlugin } from "@membus/plugin-lru";
import { type Clock, type MemoryTier, systemClock, TIERS } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { runningHosts } from "../../bus/test/running-hosts.js";
import { emptyDefaultTenant } from "../../cli/test/empty-tenant.js";
import { Gateway, type GatewayOptions } from "../src/index.js";

export type Plugins = Readonly<Partial<Record<MemoryTier, MemoryPlugin>>>;

/**
 * A nats-server, a host in memory, and gateways that share their sessions in a folder or a bucket. If hosts run already, the
 * gateways use those.
 */
export class GatewayFixture {
  readonly logger = new RecordingLogger();
  /** Writes that the inspector reports as queued. */
  queuedWrites: (() => Promise<number>) | undefined;
  readonly #cleanups: (() => Promise<unknown>)[] = [];
  /** Stops the host. */
  stopHost: () => Promise<void> = async () => {};
  readonly #bucket: string | undefined;
  #directory = "";
  readonly #running: readonly string[] | undefined;
  #server: NatsServer | undefined;

  /** @param hasOwnHost whether tests stop the host or its server, or change its clock or tiers. */
  constructor({
    bucket,
    hasOwnHost = bucket !== undefined,
  }: { readonly bucket?: string; readonly hasOwnHost?: boolean } = {}) {
    this.#bucket = bucket;
    this.#running = hasOwnHost ? undefined : runningHosts()?.servers;
  }

  /** Folder of sessions that are not in a bucket. */
  get directory(): string {
    return join(this.#directory, "sessions");
  }

  get natsUrl(): string {
    return this.#running?.join() ?? this.#server!.url;
  }

  /**
   * Starts server and host, unless hosts run already.
   * @param plugins of tiers that are not in memory.
   * @param clock of the host.
   */
  async start(plugins: Plugins = {}, clock: Clock = systemClock): Promise<void> {
    this.#directory = await mkdtemp(join(tmpdir(), "membus-gateway-"));
    this.#cleanups.push(() => rm(this.#directory, { recursive: true, force: true }));
    if (this.#running !== undefined) return emptyDefaultTenant(this.#running);
    this.#cleanups.push(async () => this.#server?.kill());
    await this.startServer();
    const inMemory = { working: createLruPlugin(), episodic: createLruPlugin(), semantic: createLruPlugin() };
    const dataDirectories = Object.fromEntries(
      TIERS.map((tier) => [tier, join(this.#directory, "tiers", tier)]),
    );
    const host = createHost({
      bus: await this.bus(),
      plugins: { ...inMemory, ...plugins },
      dataDirectories,
      logger: this.logger,
      clock,
    });
    await host.start();
    let stopping: Promise<void> | undefined;
    this.stopHost = () => (stopping ??= host.stop());
    this.#cleanups.push(() => this.stopHost());
  }

  /** Kills the server. `startServer` restarts it on the same port. */
  async killServer(): Promise<void> {
    await this.#server!.kill();
  }

  async startServer(): Promise<void> {
    const storeDir = this.#bucket === undefined ? {} : { storeDir: join(this.#directory, "jetstream") };
    const port = this.#server?.port ?? 0;
    this.#server = await launchNatsServer({ binary: NATS_SERVER, port, ...storeDir });
  }

  async bus() {
    const servers = this.#running ?? this.natsUrl;
    const bus = await connectNatsBus({ servers }, { logger: this.logger, clock: systemClock });
    this.#cleanups.push(() => bus.close());
    return bus;
  }

  /** Starts another gateway on a free port. Memory has a minute to reply, for busy machines. */
  async gateway({ openai, ...options }: GatewayOptions = {}, clock: Clock = systemClock) {
    const bus = await this.bus();
    const bucket = this.#bucket && (await bus.openBucket({ name: this.#bucket, ttlS: 86_400 }));
    const { queuedWrites } = this;
    const parts = { bus, sessions: bucket ?? this.directory, logger: this.logger, clock, queuedWrites };
    const gateway = new Gateway(parts, {
      port: 0,
      ...options,
      ...(openai && { openai: { memoryTimeoutMs: 60_000, ...openai } }),
    });
    const url = await gateway.start();
    let stopping: Promise<void> | undefined;
    const stop = gateway.stop.bind(gateway);
    gateway.stop = () => (stopping ??= stop());
    this.#cleanups.push(() => gateway.stop());
    return { url, gateway, bus };
  }

  async stop(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) await cleanup();
  }
}
