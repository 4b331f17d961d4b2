import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mappingLines } from "@membus/cluster/routing";
import { launchNatsCluster, type NatsCluster } from "@membus/nats-server";
import { NATS_SERVER } from "../../../../bus/test/nats-server.js";
import { FakeS3 } from "../../../../plugins/lancedb/test/s3/fake-s3.js";
import { type CliResult, endChild, lineOf, runCli, spawnCli } from "../../run-cli.js";

export const SHARD_COUNT = 8;
export const LEASE_MS = 3_000;
/** Attempts to create the cluster while the servers elect their leaders. */
const INIT_ATTEMPTS_MAX = 60;

/** Servers, an object store, and hosts of a cluster as separate processes. */
export class ClusterStage {
  readonly folder: string;
  readonly nats: NatsCluster;
  readonly s3: FakeS3;
  readonly #hosts = new Map<string, ChildProcessWithoutNullStreams>();

  private constructor(folder: string, nats: NatsCluster, s3: FakeS3) {
    this.folder = folder;
    this.nats = nats;
    this.s3 = s3;
  }

  static async open(): Promise<ClusterStage> {
    const folder = await mkdtemp(join(tmpdir(), "membus-soak-"));
    const config = mappingLines("a2e", SHARD_COUNT);
    const nats = await launchNatsCluster({ binary: NATS_SERVER, directory: join(folder, "nats"), config });
    const stage = new ClusterStage(folder, nats, await FakeS3.start());
    await stage.#init();
    return stage;
  }

  get names(): string[] {
    return [...this.#hosts.keys()];
  }

  host(name: string): ChildProcessWithoutNullStreams {
    return this.#hosts.get(name)!;
  }

  async start(name: string): Promise<void> {
    const args = ["up", "--cluster", this.nats.urls.join(","), "--host-name", name];
    const child = spawnCli(args, this.#options);
    child.stderr.pipe(createWriteStream(join(this.folder, `${name}.log`), { flags: "a" }));
    this.#hosts.set(name, child);
    await lineOf(child, /serves cluster/);
  }

  async end(name: string, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    await endChild(this.host(name), signal);
  }

  cli(...args: string[]): Promise<CliResult> {
    return runCli(args, this.#options);
  }

  async close({ keep }: { readonly keep: boolean }): Promise<void> {
    await Promise.all([...this.#hosts.values()].map((child) => endChild(child, "SIGKILL")));
    await this.nats.kill();
    await this.s3.stop();
    if (!keep) await rm(this.folder, { recursive: true, force: true });
  }

  get #options() {
    const store = { AWS_ENDPOINT_URL: this.s3.storageOptions.endpoint!, AWS_ACCESS_KEY_ID: "test" };
    const env = { NATS_URL: this.nats.urls.join(","), ...store, AWS_SECRET_ACCESS_KEY: "test" };
    return { cwd: this.folder, env };
  }

  async #init(): Promise<void> {
    const flags = ["--store", "s3://bucket/memory", "--shards", String(SHARD_COUNT)];
    for (let attempt = 0; attempt < INIT_ATTEMPTS_MAX; attempt++) {
      const { code } = await this.cli("cluster", "init", ...flags, "--lease-ms", String(LEASE_MS));
      if (code === 0) return;
      await sleep(1_000);
    }
    throw new Error("the cluster could not be created");
  }
}
