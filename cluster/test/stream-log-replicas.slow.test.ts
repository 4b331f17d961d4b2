import { jetstreamManager } from "@nats-io/jetstream";
import { millis } from "@nats-io/transport-node";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isRecent, requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { append } from "../../plugins/disk/test/log-fixture.js";
import { registerLogSuite } from "../../plugins/disk/test/log-suite/register-log-suite.js";
import { LogPlace } from "./log-place.js";
import { leaderOf, type NatsClusterFixture, nodesWith, openNatsCluster } from "./nats-cluster-fixture.js";

const SECRET = "s3cret-7f3a9c1e";

let fixture: NatsClusterFixture;
beforeAll(async () => {
  if (!isRecent) return;
  fixture = await openNatsCluster();
});
afterAll(() => fixture?.close());
beforeEach(requireRecentServer);

registerLogSuite("streams on three servers", async () => new LogPlace(fixture.connection));

const nodeNamed = (name: string | undefined) => fixture.cluster.nodes.find((node) => node.name === name)!;

/** Appends with several writers until it is stopped. */
function appendRepeatedly(append: (text: string) => Promise<number>, writerCount: number) {
  const acknowledged: string[] = [];
  let isStopped = false;
  const write = async (writer: number) => {
    for (let n = 0; !isStopped; n++) {
      const text = `${writer}.${n}`;
      acknowledged.push(`${await append(text)}:${text}`);
    }
  };
  const writers = Array.from({ length: writerCount }, (_, writer) => write(writer));
  const stop = async () => {
    isStopped = true;
    await Promise.all(writers);
  };
  return { acknowledged, stop };
}

describe("kill -9 of the node that leads the stream", () => {
  it.each([1, 2, 3])("loses and doubles no record (round %i)", async () => {
    const place = new LogPlace(fixture.connection);
    const { log, hold } = await place.take();
    const { acknowledged, stop } = appendRepeatedly((text) => append(log, text), 16);
    await expect.poll(() => acknowledged.length).toBeGreaterThan(200);
    const leader = await leaderOf(fixture, place.keeper.kept!.at(-1)!.name);
    await leader.kill();
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 200);
    await stop();
    await leader.start();
    expect(hold.lostBecause).toEqual([]);
    const bySeq = (a: string, b: string) => Number.parseInt(a, 10) - Number.parseInt(b, 10);
    expect((await place.take()).records).toEqual(acknowledged.sort(bySeq));
    await fixture.ready();
  });
});

it("a segment is deleted on all nodes, and only while all of them are up", async () => {
  const place = new LogPlace(fixture.connection);
  const { log } = await place.take();
  await append(log, SECRET);
  await log.rotate();
  await expect.poll(() => nodesWith(fixture, SECRET)).toEqual(["n1", "n2", "n3"]);
  const { name } = place.keeper.kept![0]!;
  const { streams } = await jetstreamManager(fixture.connection, { checkAPI: false });
  const replicas = async () => (await streams.info(name)).cluster?.replicas ?? [];
  const follower = nodeNamed((await replicas())[0]!.name);
  await follower.kill();
  const silentMs = async () => Math.max(...(await replicas()).map(({ active }) => millis(active)));
  await expect.poll(silentMs).toBeGreaterThan(3_000);
  expect(await log.trim(2)).toBe(false);
  expect(log.stats.waitsForServer).toBe(true);
  const downServers = async () => {
    await log.probe();
    return log.stats.absentServers;
  };
  await expect.poll(downServers).toEqual([follower.name]);
  expect(await append(log, "two")).toBe(2);
  // The killed node may have led the servers, and no stream is created during an election.
  await expect.poll(() => log.rotate().catch(() => undefined)).toBe(3);
  expect(await nodesWith(fixture, SECRET)).toEqual(["n1", "n2", "n3"]);
  await follower.start();
  await expect.poll(() => log.trim(2)).toBe(true);
  expect(log.stats.waitsForServer).toBe(false);
  await expect.poll(downServers).toEqual([]);
  await expect.poll(() => nodesWith(fixture, SECRET)).toEqual([]);
  await fixture.ready();
});
