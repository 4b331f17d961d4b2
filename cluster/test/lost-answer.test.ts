import { monotonicClock, silentLogger } from "@membus/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FACTS } from "../../plugins/kit/test/place-suite.js";
import { ClusterBucket, openKvPlace } from "../src/index.js";
import { AnswerProxy } from "./answer-proxy.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { TestHold } from "./test-hold.js";

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());

const unused = () => {
  throw new Error("not part of this test");
};

it("a write that was done without an answer is found and not made again", async () => {
  const name = await fixture.createBucket();
  const direct = await fixture.openBucket(name);
  const proxy = await AnswerProxy.open(fixture.url);
  fixture.onClose(() => proxy.close());
  const connection = await fixture.connect(proxy.url);
  const bucket = await ClusterBucket.open(connection, { name, requestTimeoutMs: 200 });
  const hold = new TestHold(1);
  const { manifest } = openKvPlace(
    { shard: 0, tier: "semantic", hold, bucket, clock: monotonicClock, logger: silentLogger },
    { createStorage: unused, openLog: unused },
  );
  await manifest.claim(() => FACTS);
  const revision = async () => (await direct.get("tier.0.semantic.facts"))!.revision;
  const before = await revision();

  proxy.loseAnswers();
  const written = manifest.write(FACTS);
  await expect.poll(revision).toBe(before + 1);
  proxy.repair();
  await written;
  await manifest.write({ ...FACTS, flushedSeq: 42 });
  expect(await revision()).toBe(before + 2);
  expect(hold.lostBecause).toEqual([]);
});
