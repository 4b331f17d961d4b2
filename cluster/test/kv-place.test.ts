import { MemoryError, monotonicClock, silentLogger } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FACTS, registerPlaceSuite } from "../../plugins/kit/test/place-suite.js";
import { type ClusterBucket, openKvPlace } from "../src/index.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { TestHold } from "./test-hold.js";
import { TestLink } from "./test-hosts.js";

let fixture: ClusterFixture;
let bucket: ClusterBucket;

beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  bucket = await fixture.openBucket();
});

const unused = () => {
  throw new Error("not part of this test");
};

function openEpoch(epoch: number, link = new TestLink(), logger: Logger = silentLogger) {
  const hold = new TestHold(epoch);
  const place = openKvPlace(
    { shard: 3, tier: "semantic", hold, bucket: link.wrap(bucket), clock: monotonicClock, logger },
    { createStorage: unused, openLog: unused },
  );
  return { hold, link, ...place };
}

registerPlaceSuite("a shard", async () => {
  let epoch = 0;
  return {
    open: async (logger) => {
      epoch += 1;
      return openEpoch(epoch, new TestLink(), logger);
    },
  };
});

const isValid = () => true;
const noAnswer = () => new MemoryError("unavailable", "no answer");
const part = (name: string, version: number) => ({ name, version, rowCount: 1, contentId: "" });
const LOST = expect.objectContaining<Partial<MemoryError>>({ code: "unavailable" });

/** Opens epoch 1 with one part, then epoch 2. */
async function openTwo() {
  const older = openEpoch(1);
  await older.manifest.claim(() => FACTS);
  const facts = { ...FACTS, parts: [part("table", 1)] };
  await older.manifest.write(facts);
  await older.markers.write("mark", { count: 1 });
  const newer = openEpoch(2);
  const found = await newer.manifest.claim(unused);
  return { older, newer, facts, found };
}

describe("a shard that another epoch has taken", () => {
  it("is lost by a write of the facts, which changes nothing", async () => {
    const { older, facts } = await openTwo();
    await expect(older.manifest.write({ ...facts, flushedSeq: 9 })).rejects.toEqual(LOST);
    expect(older.hold.lostBecause).toEqual(["epoch 2 has written tier.3.semantic.facts"]);
    expect(await openEpoch(3).manifest.claim(unused)).toEqual(facts);
  });

  it("is lost by a write of a part, which changes nothing", async () => {
    const { older, facts } = await openTwo();
    await expect(older.manifest.write({ ...facts, parts: [part("table", 2)] })).rejects.toEqual(LOST);
    expect(older.hold.lostBecause).toEqual(["epoch 2 has written tier.3.semantic.part.dGFibGU"]);
    expect(await openEpoch(3).manifest.claim(unused)).toEqual(facts);
  });

  it("keeps its parts when the earlier owner removes them", async () => {
    const { older, facts } = await openTwo();
    await expect(older.manifest.write(FACTS)).rejects.toEqual(LOST);
    expect(await openEpoch(3).manifest.claim(unused)).toEqual(facts);
  });

  it("drops a part that the earlier owner creates late", async () => {
    const { older, newer, facts } = await openTwo();
    const late = { ...facts, parts: [...facts.parts, part("late", 1)] };
    await expect(older.manifest.write(late)).rejects.toEqual(LOST);
    await newer.manifest.write({ ...facts, flushedSeq: 2 });
    expect(await openEpoch(3).manifest.claim(unused)).toEqual({ ...facts, flushedSeq: 2 });
    expect(await bucket.get("tier.3.semantic.part.bGF0ZQ")).toBeUndefined();
  });

  it("overwrites a part that the earlier owner creates late", async () => {
    const { older, newer, facts } = await openTwo();
    const late = { ...facts, parts: [...facts.parts, part("late", 1)] };
    await expect(older.manifest.write(late)).rejects.toEqual(LOST);
    const own = { ...facts, parts: [...facts.parts, part("late", 5)] };
    await newer.manifest.write(own);
    expect(await openEpoch(3).manifest.claim(unused)).toEqual(own);
  });

  it("is lost by a write of a marker that its new owner has read", async () => {
    const { older, newer } = await openTwo();
    expect(await newer.markers.read("mark", isValid)).toEqual({ count: 1 });
    expect(await newer.markers.read("absent", isValid)).toBeUndefined();
    for (const name of ["mark", "absent"])
      await expect(older.markers.write(name, { count: 7 })).rejects.toEqual(LOST);
    expect(await openEpoch(3).markers.read("mark", isValid)).toEqual({ count: 1 });
    expect(await openEpoch(3).markers.read("absent", isValid)).toBeUndefined();
  });

  it("keeps its parts if the new owner dies during the take-over", async () => {
    const { facts } = await openTwo();
    const dying = openEpoch(3);
    let writeCount = 0;
    dying.link.before = async (method) => {
      if (method === "write") writeCount += 1;
      if (writeCount === 2) dying.hold.lose("killed");
      dying.hold.mustOwn();
    };
    await expect(dying.manifest.claim(unused)).rejects.toEqual(LOST);
    expect(await openEpoch(4).manifest.claim(unused)).toEqual(facts);
  });
});

describe("a request without an answer", () => {
  it("is repeated, and each write is done once", async () => {
    const { newer, found } = await openTwo();
    let lostCount = 0;
    newer.link.after = (method) => {
      const isLost = method === "write" && lostCount < 3;
      if (isLost) lostCount += 1;
      return isLost ? Promise.reject(noAnswer()) : Promise.resolve();
    };
    const before = (await bucket.get("tier.3.semantic.facts"))!.revision;
    await newer.manifest.write({ ...found, flushedSeq: 2 });
    await newer.manifest.write({ ...found, flushedSeq: 3 });
    expect(lostCount).toBe(3);
    expect((await bucket.get("tier.3.semantic.facts"))!.revision).toBe(before + 2);
    expect(newer.hold.lostBecause).toEqual([]);
  });

  it("is not repeated after the shard is lost", async () => {
    const { newer, facts } = await openTwo();
    newer.link.before = () => {
      newer.hold.lose("the lease has ended");
      return Promise.reject(noAnswer());
    };
    await expect(newer.manifest.write({ ...facts, flushedSeq: 2 })).rejects.toEqual(LOST);
  });
});

it("facts that no record holds are refused at once", async () => {
  const { manifest } = openEpoch(1);
  await manifest.claim(() => FACTS);
  const scopes = ["x".repeat(1_100_000)];
  await expect(manifest.write({ ...FACTS, scopes })).rejects.toMatchObject({ code: "runtime_error" });
});

it("an unreadable record is refused with its key", async () => {
  await bucket.write("tier.3.semantic.facts", "{", 0);
  await expect(openEpoch(1).manifest.claim(() => FACTS)).rejects.toMatchObject({
    code: "runtime_error",
    detail: { reason: "record_unreadable", key: "tier.3.semantic.facts" },
  });
});
