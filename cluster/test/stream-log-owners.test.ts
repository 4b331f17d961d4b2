import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireRecentServer } from "../../bus/test/recent-nats-server.js";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { append, contents } from "../../plugins/disk/test/log-fixture.js";
import { shardLogger } from "../src/serving/shard-logger.js";
import { ClusterFixture } from "./cluster-fixture.js";
import { LogPlace } from "./log-place.js";

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await ClusterFixture.open();
});
afterAll(() => fixture.close());
beforeEach(requireRecentServer);

const newPlace = () => new LogPlace(fixture.connection, { replicas: 1 });
const MOVED = { code: "unavailable", detail: { reason: "shard_moved", retry_after_ms: 500 } };

describe("an owner that waits for a renewal of its lease", () => {
  it("appends once the lease is renewed", async () => {
    const place = newPlace();
    const { log, hold } = await place.take();
    let renew = () => {};
    hold.renewed = new Promise((resolve) => {
      renew = resolve;
    });
    let isAppended = false;
    const appended = append(log, "one").then((seq) => {
      isAppended = true;
      return seq;
    });
    await fixture.connection.flush();
    expect([isAppended, log.stats.failed]).toEqual([false, false]);
    renew();
    expect(await appended).toBe(1);
    expect((await place.take()).records).toEqual(["1:one"]);
  });
});

describe("an owner after a take-over", () => {
  it("cannot append, and loses the shard", async () => {
    const place = newPlace();
    const first = await place.take();
    await append(first.log, "one");
    const second = await place.take();
    expect(second.records).toEqual(["1:one"]);
    expect(await append(second.log, "two")).toBe(2);
    const rollbacks: number[] = [];
    first.log.onRollback((firstLostSeq) => rollbacks.push(firstLostSeq));
    await expect(append(first.log, "late")).rejects.toMatchObject(MOVED);
    expect(first.hold.lostBecause).toEqual([expect.stringContaining("another owner has written to stream")]);
    expect(rollbacks).toEqual([2]);
    expect(first.log.stats).toMatchObject({ nextSeq: 2, queuedCount: 0, queuedBytes: 0, failed: true });
    await expect(append(first.log, "later")).rejects.toMatchObject(MOVED);
    await expect(first.log.rotate()).rejects.toMatchObject(MOVED);
    expect(await contents(second.log)).toEqual(["1:one", "2:two"]);
    expect((await place.take()).records).toEqual(["1:one", "2:two"]);
  });

  it("cannot append although the new owner has not appended yet", async () => {
    const place = newPlace();
    const first = await place.take();
    await place.take();
    await expect(append(first.log, "late")).rejects.toMatchObject(MOVED);
    expect((await place.take()).records).toEqual([]);
  });

  it("cannot append to a segment that the new owner has deleted", async () => {
    const place = newPlace();
    const first = await place.take(fixture.connection, { requestTimeoutMs: 200 });
    await append(first.log, "one");
    const second = await place.take();
    await second.log.rotate();
    expect(await second.log.trim(2)).toBe(true);
    await expect(append(first.log, "late")).rejects.toMatchObject(MOVED);
    expect(first.hold.lostBecause).toEqual([expect.stringContaining("is missing")]);
  });

  it("cannot start a segment, and its stream is deleted by the next owner", async () => {
    const place = newPlace();
    const first = await place.take();
    await append(first.log, "one");
    const second = await place.take();
    await expect(first.log.rotate()).rejects.toMatchObject(MOVED);
    expect((await place.partNames()).length).toBe(2);
    expect(await append(second.log, "two")).toBe(2);
    const third = await place.take();
    expect(third.records).toEqual(["1:one", "2:two"]);
    expect(await place.partNames()).toEqual(place.keeper.kept!.map(({ name }) => name));
  });

  it("loses no acknowledged record while it appends during the take-over", async () => {
    const place = newPlace();
    const first = await place.take();
    const acknowledged: string[] = [];
    const appended = (async () => {
      for (let n = 1; n <= 500; n++) {
        const seq = await append(first.log, `n${n}`);
        acknowledged.push(`${seq}:n${n}`);
      }
    })().catch((error: unknown) => expect(error).toMatchObject(MOVED));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(10);
    const second = await place.take();
    await appended;
    expect(second.records).toEqual(acknowledged);
    await expect(append(first.log, "late")).rejects.toMatchObject(MOVED);
  });
});

describe("a write that fails", () => {
  const message = "a write to the log failed, its records are rejected";

  it("is an error of the host if the servers never accept it", async () => {
    const place = newPlace();
    const recorded = new RecordingLogger();
    const { log } = await place.take(fixture.connection, { logger: (hold) => shardLogger(recorded, hold) });
    const { streams } = await jetstreamManager(fixture.connection, { checkAPI: false });
    await streams.update((await place.newest()).config.name, { sealed: true } as object);
    await expect(append(log, "one")).rejects.toMatchObject(MOVED);
    expect(recorded.messages("error")).toEqual([message]);
  });

  it("is information after a take-over", async () => {
    const place = newPlace();
    const recorded = new RecordingLogger();
    const { log } = await place.take(fixture.connection, { logger: (hold) => shardLogger(recorded, hold) });
    await place.take();
    await expect(append(log, "late")).rejects.toMatchObject(MOVED);
    expect(recorded.lines.map(({ level, message: text }) => [level, text])).toEqual([["info", message]]);
  });
});

describe("an owner that cannot store its list of streams", () => {
  it("continues if the list can be taken back", async () => {
    const place = newPlace();
    const { log, hold } = await place.take();
    await append(log, "one");
    place.keeper.failures = 1;
    await expect(log.rotate()).rejects.toThrow("EIO");
    expect(await append(log, "two")).toBe(2);
    expect(await log.rotate()).toBe(3);
    expect(hold.lostBecause).toEqual([]);
    expect((await place.take()).records).toEqual(["1:one", "2:two"]);
    expect((await place.partNames()).length).toBe(2);
  });

  it("loses the shard if the list cannot be taken back", async () => {
    const place = newPlace();
    const { log, hold } = await place.take();
    await append(log, "one");
    place.keeper.failures = 2;
    await expect(log.rotate()).rejects.toMatchObject(MOVED);
    expect(hold.lostBecause.length).toBe(1);
    await expect(append(log, "two")).rejects.toMatchObject(MOVED);
    expect((await place.take()).records).toEqual(["1:one"]);
  });
});
