import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { isRecent, requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { FakeS3 } from "../../plugins/lancedb/test/s3/fake-s3.js";
import { createClusterBucket } from "../src/index.js";
import { mappingLines } from "./mapping-lines.js";
import { type NatsClusterFixture, openNatsCluster } from "./nats-cluster-fixture.js";
import { connectAlice, Writer } from "./number-writer.js";
import { SHARD_COUNT } from "./serving-host.js";

const TENANTS = ["tenant-0", "tenant-1", "tenant-2", "tenant-3"];

let fixture: NatsClusterFixture;
let s3: FakeS3;
beforeAll(async () => {
  if (!isRecent) return;
  fixture = await openNatsCluster(mappingLines(SHARD_COUNT));
  s3 = await FakeS3.start();
});
afterAll(async () => {
  await fixture?.close();
  await s3?.stop();
});
beforeEach(requireRecentServer);

/** A host in a separate process. */
class HostProcess {
  readonly process: ChildProcess;
  #shardCount = 0;

  constructor(cluster: string, name: string) {
    const script = new URL("serving-child.ts", import.meta.url).pathname;
    const execArgv = ["--conditions=membus-source", "--import", "tsx"];
    const args = [fixture.cluster.urls.join(","), cluster, name, s3.storageOptions.endpoint!];
    this.process = fork(script, args, { execArgv });
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

async function startCluster(
  name: string,
): Promise<{ start: (host: string) => HostProcess; writers: Writer[] }> {
  await createClusterBucket(fixture.connection, name, 3);
  const agents = await Promise.all(TENANTS.map((tenant) => connectAlice(fixture.cluster.urls, tenant)));
  return { start: (host) => new HostProcess(name, host), writers: agents.map((agent) => new Writer(agent)) };
}

/** Resolves when each writer has stored more numbers. */
async function goOn(writers: readonly Writer[]): Promise<void> {
  const before = writers.map(({ storedCount }) => storedCount);
  const advanced = () => writers.every(({ storedCount }, at) => storedCount >= before[at]! + 20);
  await expect.poll(advanced).toBe(true);
}

async function expectKept(writers: readonly Writer[]): Promise<void> {
  for (const writer of writers) {
    const kept = await writer.stop();
    expect(await writer.found()).toEqual(kept);
    expect(writer.unread).toEqual([]);
  }
}

it("kill -9 of hosts loses nothing acknowledged, and nothing forgotten comes back", async () => {
  const { start, writers } = await startCluster("killed");
  let [owner, other] = [start("a"), start("b")];
  for (let round = 0; round < 3; round++) {
    await Promise.all([owner, other].map((host) => host.serves(SHARD_COUNT / 2)));
    await goOn(writers);
    await owner.kill();
    await other.serves(SHARD_COUNT);
    await goOn(writers);
    [owner, other] = [other, start(round % 2 === 0 ? "a" : "b")];
  }
  await expectKept(writers);
});

it("a host that is stopped for longer than its lease answers nothing from lost shards", async () => {
  const { start, writers } = await startCluster("stopped");
  const [stopped, other] = [start("a"), start("b")];
  await Promise.all([stopped, other].map((host) => host.serves(SHARD_COUNT / 2)));
  await goOn(writers);
  stopped.process.kill("SIGSTOP");
  await other.serves(SHARD_COUNT);
  await goOn(writers);
  stopped.process.kill("SIGCONT");
  await Promise.all([stopped, other].map((host) => host.serves(SHARD_COUNT / 2)));
  await goOn(writers);
  await expectKept(writers);
});
