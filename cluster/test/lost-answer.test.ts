import { monotonicClock, silentLogger } from "@membus/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FACTS } from "../../plugins/kit/test/place-suite.js";
import { ClusterBucket, openKvPlace } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { FaultyLink } from "./faulty-link.js";
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
  const link = await FaultyLink.open(fixture.url);
  fixture.onClose(() => link.close());
  const connection = await fixture.connect(link.url);
  const bucket = await ClusterBucket.open(connection, { name, requestTimeoutMs: 200 });
  const hold = new TestHold(1);
  const { manifest } = openKvPlace(
    { shard: 0, tier: "semantic", hold, bucket, clock: monotonicClock, logger: silentLogger },
    { createStorage: unused, openLog: unused },
  );
  await manifest.claim(() => FACTS);
  const revision = async () => (await direct.get("tier.0.semantic.facts"))!.revision;
  const before = await revision();

  link.loseAnswers();
  const written = manifest.write(FACTS);
  await expect.poll(revision).toBe(before + 1);
  link.repair();
  await written;
  await manifest.write({ ...FACTS, flushedSeq: 42 });
  expect(await revision()).toBe(before + 2);
  expect(hold.lostBecause).toEqual([]);
});
