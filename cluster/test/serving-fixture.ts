import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished } from "vitest";
import type { MemoryClient } from "../../agent-client/src/index.js";
import { Chance } from "../../cli/test/crash/kill-loop/chance.js";
import { FakeS3 } from "../../plugins/lancedb/test/s3/fake-s3.js";
import { createClusterBucket } from "../src/bucket/index.js";
import { mappingLines } from "../src/index.js";
import { connectAlice } from "./connect-alice.js";
import { MemoryHistory } from "./history/memory-history.js";
import type { SourceEdit } from "./history/plants.js";
import { type NatsClusterFixture, openNatsCluster } from "./nats-cluster-fixture.js";
import type { ServingChildOptions } from "./serving-child.js";
import { SHARD_COUNT } from "./serving-host.js";

const TENANTS = ["tenant-0", "tenant-1", "tenant-2", "tenant-3"];

/** A host in a separate process. */
export class HostProcess {
  readonly process: ChildProcess;
  #shardCount = 0;

  constructor({ edits = [], ...options }: ServingChildOptions & { readonly edits?: readonly SourceEdit[] }) {
    const script = new URL("serving-child.ts", import.meta.url).pathname;
    const edit = new URL("history/edit-sources.mjs", import.meta.url).pathname;
    // The edit comes first, so that it sees the sources before they are compiled.
    const imports = edits.length === 0 ? [] : ["--import", edit];
    const execArgv = ["--conditions=membus-source", ...imports, "--import", "tsx"];
    const env = { ...process.env, SOURCE_EDITS: JSON.stringify(edits) };
    this.process = fork(script, [JSON.stringify(options)], { execArgv, env });
    this.process.on("message", (count) => {
      this.#shardCount = Number(count);
    });
    onTestFinished(() => void this.process.kill("SIGKILL"));
  }

  /** Resolves when it serves this number of shards. */
  async serves(count: number): Promise<void> {
    const ask = async () => {
      this.process.send("how many?");
      await once(this.process, "message");
      return this.#shardCount;
    };
    await expect.poll(ask).toBe(count);
  }

  async kill(): Promise<void> {
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
  }
}

/** Options of a host that differ from the defaults of these tests. */
export type HostOptions = Partial<ConstructorParameters<typeof HostProcess>[0]>;

/** A cluster, and agents of four tenants that call it. */
export interface CalledCluster {
  start(host: string): HostProcess;
  readonly agents: readonly MemoryClient[];
  readonly histories: readonly MemoryHistory[];
}

/** Three servers and an object store, on which tests start clusters. */
export class ServingFixture {
  readonly nats: NatsClusterFixture;
  readonly s3: FakeS3;

  private constructor(nats: NatsClusterFixture, s3: FakeS3) {
    this.nats = nats;
    this.s3 = s3;
  }

  static async open(): Promise<ServingFixture> {
    return new ServingFixture(
      await openNatsCluster({ config: mappingLines("a2e", SHARD_COUNT) }),
      await FakeS3.start(),
    );
  }

  async startCluster(name: string): Promise<CalledCluster> {
    const { urls } = this.nats.cluster;
    const start = await this.createCluster(name);
    const agents = await Promise.all(TENANTS.map((tenant) => connectAlice(urls, tenant)));
    const histories = agents.map((agent, at) => new MemoryHistory([agent], new Chance(at)));
    for (const history of histories) history.start();
    return { start, agents, histories };
  }

  /** Returns a function that starts hosts of the cluster. */
  async createCluster(cluster: string): Promise<(host: string, options?: HostOptions) => HostProcess> {
    await createClusterBucket(this.nats.connection, cluster, 3);
    const own = { servers: this.nats.cluster.urls, cluster, endpoint: this.s3.storageOptions.endpoint! };
    return (name, options) => new HostProcess({ ...own, name, leaseMs: 3_000, ...options });
  }

  async close(): Promise<void> {
    await this.nats.close();
    await this.s3.stop();
  }
}

/** Resolves when the hosts serve the same number of shards. */
export async function serveHalf(...hosts: readonly HostProcess[]): Promise<void> {
  await Promise.all(hosts.map((host) => host.serves(SHARD_COUNT / 2)));
}

/** Resolves when the agent of each memory has made more calls. */
export async function goOn(histories: readonly MemoryHistory[]): Promise<void> {
  await Promise.all(histories.map((history) => history.goOn()));
}

/** Ends the calls, and expects no problem. */
export async function expectNoProblems(histories: readonly MemoryHistory[]): Promise<void> {
  const problems = await Promise.all(histories.map((history) => history.problems()));
  expect(problems.flat()).toEqual([]);
}
