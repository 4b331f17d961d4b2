import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createWriteStream, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shardOf } from "@membus/cluster/routing";
import {
  type NatsClusterFixture,
  type NatsClusterOptions,
  openNatsCluster,
  untilSucceeds,
} from "../../../cluster/test/nats-cluster-fixture.js";
import { FakeS3 } from "../../../plugins/lancedb/test/s3/fake-s3.js";
import { type CliResult, endChild, lineOf, runCli, spawnCli } from "../run-cli.js";
import { HostLinks } from "./host-links.js";

const SHIFTED_CLOCK = new URL("shifted-clock.js", import.meta.url).href;

/** The lines of `config` have the mapping. */
export interface StageOptions extends NatsClusterOptions {
  /** Working directory of commands and hosts. By default a new one. */
  readonly folder?: string;
  /** Further environment variables of commands and hosts. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether each host has links to the servers and the store, which can be cut. */
  readonly hasLinks?: boolean;
}

/** Three nats-servers, an object store, and hosts of clusters as separate processes. */
export class ClusterStage {
  readonly folder: string;
  readonly nats: NatsClusterFixture;
  readonly s3: FakeS3;
  /** Milliseconds by which the clock of a host differs from its next start on. */
  readonly clockShifts = new Map<string, number>();
  readonly #env: Readonly<Record<string, string>>;
  readonly #hasLinks: boolean;
  readonly #hosts = new Map<string, ChildProcessWithoutNullStreams>();
  readonly #links = new Map<string, HostLinks>();

  private constructor(
    folder: string,
    nats: NatsClusterFixture,
    s3: FakeS3,
    { env, hasLinks }: Required<Pick<StageOptions, "env" | "hasLinks">>,
  ) {
    this.folder = folder;
    this.nats = nats;
    this.s3 = s3;
    this.#env = env;
    this.#hasLinks = hasLinks;
  }

  static async open({ folder, env = {}, hasLinks = false, ...servers }: StageOptions): Promise<ClusterStage> {
    // A host that knows the addresses of the servers would connect without its links.
    const nats = await openNatsCluster({ ...servers, advertise: !hasLinks });
    const place = folder ?? mkdtempSync(join(tmpdir(), "membus-test-"));
    return new ClusterStage(place, nats, await FakeS3.start(), { env, hasLinks });
  }

  get urls(): readonly string[] {
    return this.nats.cluster.urls;
  }

  /** Names of the hosts that were started. */
  get names(): string[] {
    return [...this.#hosts.keys()];
  }

  host(name: string): ChildProcessWithoutNullStreams {
    return this.#hosts.get(name)!;
  }

  /** Links of a host that was started. Without `hasLinks` it has none. */
  links(name: string): HostLinks {
    return this.#links.get(name)!;
  }

  /** Starts a host. It writes its log into `<name>.log` of the folder. */
  async start(name: string, ...flags: string[]): Promise<void> {
    const before = this.#hosts.get(name);
    if (before !== undefined) await endChild(before, "SIGKILL");
    const { urls, env } = await this.#surroundings(name);
    const args = ["up", "--cluster", urls.join(","), "--host-name", name, ...flags];
    const { cwd, env: common } = this.#options;
    const child = spawnCli(args, { cwd, env: { ...common, ...env } });
    child.stderr.pipe(createWriteStream(join(this.folder, `${name}.log`), { flags: "a" }));
    this.#hosts.set(name, child);
    await lineOf(child, new RegExp(`^host ${name} serves cluster `));
  }

  /** Ends a host and returns its exit code. */
  end(name: string, signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    return endChild(this.host(name), signal);
  }

  async endAll(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    await Promise.all(this.names.map((name) => this.end(name, signal)));
    this.#hosts.clear();
  }

  /** Returns the name of the host that owns a tenant. Waits while it has none. */
  ownerOf(tenant: string): Promise<string> {
    return untilSucceeds(async () => {
      const { shards } = JSON.parse(await this.ok("cluster", "status", "--json")) as {
        readonly shards: readonly { readonly host: string | null }[];
      };
      const { host } = shards[shardOf(tenant, shards.length)]!;
      if (host === null) throw new Error(`tenant ${tenant} has no owner`);
      return host;
    });
  }

  /** Starts `membus <args>` on this cluster. */
  spawn(...args: string[]): ChildProcessWithoutNullStreams {
    return spawnCli(args, this.#options);
  }

  cli(...args: string[]): Promise<CliResult> {
    return runCli(args, this.#options);
  }

  /** Returns the output of a command that must succeed. */
  async ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.cli(...args);
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** Ends all processes. @param keep leaves the folder. */
  async close({ keep = false }: { readonly keep?: boolean } = {}): Promise<void> {
    await this.endAll("SIGKILL");
    await Promise.all([...this.#links.values()].map((links) => links.close()));
    await this.nats.close();
    await this.s3.stop();
    if (!keep) await rm(this.folder, { recursive: true, force: true });
  }

  /** Returns the servers that a host knows, and the environment variables that only it has. */
  async #surroundings(name: string) {
    const shiftMs = this.clockShifts.get(name) ?? 0;
    const clock =
      shiftMs === 0
        ? undefined
        : { NODE_OPTIONS: `--import ${SHIFTED_CLOCK}`, MEMBUS_TEST_CLOCK_SHIFT_MS: String(shiftMs) };
    if (!this.#hasLinks) return { urls: this.urls, env: { ...clock } };
    const links = this.#links.get(name) ?? (await HostLinks.open(this.urls, this.#storeUrl));
    this.#links.set(name, links);
    const urls = links.nats.map(({ url }) => url);
    return { urls, env: { NATS_URL: urls.join(","), AWS_ENDPOINT_URL: links.store.url, ...clock } };
  }

  get #storeUrl(): string {
    return this.s3.storageOptions.endpoint!;
  }

  get #options() {
    const store = { AWS_ENDPOINT_URL: this.#storeUrl, AWS_ACCESS_KEY_ID: "test" };
    const env = { NATS_URL: this.urls.join(","), ...store, AWS_SECRET_ACCESS_KEY: "test", ...this.#env };
    return { cwd: this.folder, env };
  }
}
