import { describe, expect, it } from "vitest";
import { append, contents, trim } from "../log-fixture.js";
import { type CreateLog, TestLog, threeSegments } from "./log-under-test.js";

const ALL = ["1:one", "2:two", "3:three", "4:four"];

export function registerSegmentTests(create: CreateLog): void {
  describe("segments", () => registerRotationTests(create));
  describe("trim", () => registerTrimTests(create));
  describe("opening", () => registerOpeningTests(create));
  describe("close", () => registerCloseTests(create));
}

function registerRotationTests(create: CreateLog): void {
  it("start on rotate, but not twice at one number", async () => {
    const { log } = await threeSegments(create);
    expect(log.stats.segmentCount).toBe(3);
    expect(await log.rotate()).toBe(5);
    expect(await log.rotate()).toBe(5);
    expect(log.stats.segmentCount).toBe(4);
    expect(await contents(log)).toEqual(ALL);
  });

  it("start between groups while appends are running", async () => {
    const log = await (await TestLog.create(create)).open();
    const first = append(log, "a");
    const rotation = log.rotate();
    const second = append(log, "b");
    expect([await first, await second]).toEqual([1, 2]);
    expect(await rotation).toBeGreaterThan(1);
    expect(await contents(log)).toEqual(["1:a", "2:b"]);
  });

  it("give each record its number while segments start", async () => {
    const test = await TestLog.create(create);
    const log = await test.open();
    const appends: Promise<number>[] = [];
    for (let round = 0; round < 5; round++) {
      for (let n = 0; n < 10; n++) appends.push(log.append((seq) => Buffer.from(`n${seq}`)));
      await Promise.race([log.rotate(), appends.at(-1)]);
      appends.push(log.append((seq) => Buffer.from(`n${seq}`)));
    }
    const expected = Array.from({ length: 55 }, (_, index) => index + 1);
    expect(await Promise.all(appends)).toEqual(expected);
    await log.close();
    expect(await test.reopened()).toEqual(expected.map((seq) => `${seq}:n${seq}`));
  });

  it("are found by their first number, also after a reopening", async () => {
    const { test, log } = await threeSegments(create);
    const starts = [0, 1, 2, 3, 4, 5].map((seq) => log.segmentFrom(seq));
    expect(starts).toEqual([1, 1, 3, 3, 4, undefined]);
    await log.rotate();
    expect(log.segmentFrom(5)).toBe(5);
    await append(log, "five");
    await log.close();
    const again = await test.open();
    expect([1, 2, 4, 5, 6].map((seq) => again.segmentFrom(seq))).toEqual([1, 3, 4, 5, undefined]);
  });
}

function registerTrimTests(create: CreateLog): void {
  it.each([
    [1, [0, 1, 2], ALL],
    [2, [0, 1, 2], ALL],
    [3, [1, 2], ALL.slice(2)],
    [4, [2], ALL.slice(3)],
    [1000, [2], ALL.slice(3)],
  ])("below %i keeps the segments %j", async (before, positions, kept) => {
    const { test, log } = await threeSegments(create);
    await trim(log, before);
    expect(await test.existingParts()).toEqual(positions);
    expect(await contents(log)).toEqual(kept);
    expect(log.stats).toMatchObject({
      ...{ firstSeq: 5 - kept.length, nextSeq: 5, segmentCount: positions.length },
    });
  });

  it("is durable, and numbers continue", async () => {
    const { test, log } = await threeSegments(create);
    await trim(log, 4);
    await log.close();
    const again = await test.open({ nextSeqMin: 4 });
    expect(await contents(again)).toEqual(["4:four"]);
    expect(await append(again, "five")).toBe(5);
  });

  it("empties the log after a rotation, and numbers still continue", async () => {
    const { test, log } = await threeSegments(create);
    await log.rotate();
    await trim(log, log.nextSeq);
    expect(log.stats).toMatchObject({ firstSeq: 5, nextSeq: 5, segmentCount: 1 });
    await log.close();
    const again = await test.open({ nextSeqMin: 5 });
    expect(await contents(again)).toEqual([]);
    expect(await append(again, "five")).toBe(5);
  });

  it("twice at a time removes each segment once", async () => {
    const { test, log } = await threeSegments(create);
    await Promise.all([trim(log, 4), trim(log, 4)]);
    expect(await test.existingParts()).toEqual([2]);
    expect(await contents(log)).toEqual(["4:four"]);
    expect(log.stats.segmentCount).toBe(1);
  });
}

function registerOpeningTests(create: CreateLog): void {
  it("passes on every kept record, oldest first", async () => {
    const { test, log } = await threeSegments(create);
    await trim(log, 3);
    await log.close();
    expect(await test.reopened({ nextSeqMin: 3 })).toEqual(["3:three", "4:four"]);
  });

  it("fails with the error of the receiver", async () => {
    const { test, log } = await threeSegments(create);
    await log.close();
    const onRecord = (seq: number): void => {
      if (seq === 3) throw new RangeError("enough");
    };
    await expect(test.open({ onRecord })).rejects.toThrow(new RangeError("enough"));
  });

  it("starts a new log at nextSeqMin", async () => {
    const log = await (await TestLog.create(create)).open({ nextSeqMin: 2 ** 40 });
    expect(await append(log, "x")).toBe(2 ** 40);
  });
}

function registerCloseTests(create: CreateLog): void {
  it("waits for queued records and refuses later ones", async () => {
    const test = await TestLog.create(create);
    const log = await test.open();
    const queued = [append(log, "a"), append(log, "b")];
    const closing = log.close();
    const refused = { code: "unavailable", message: "the log is closed. Open it again" };
    await expect(append(log, "c")).rejects.toMatchObject(refused);
    await expect(log.read(1)).rejects.toMatchObject(refused);
    await expect(log.trim(1)).rejects.toMatchObject(refused);
    await expect(log.rotate()).rejects.toMatchObject(refused);
    await expect(log.sync()).rejects.toMatchObject(refused);
    expect(await Promise.all(queued)).toEqual([1, 2]);
    await closing;
    await log.close();
    expect(await test.reopened()).toEqual(["1:a", "2:b"]);
  });
}
