import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { append, appendEach, contents, trim } from "../log-fixture.js";
import { type CreateLog, TestLog } from "./log-under-test.js";

export function registerAppendTests(create: CreateLog): void {
  const newLog = async () => (await TestLog.create(create)).open();
  describe("append", () => registerOrderTests(create, newLog));
  describe("encode", () => registerEncodeTests(newLog));
  describe("read", () => registerReadTests(create, newLog));
}

type NewLog = () => ReturnType<TestLog["open"]>;

function registerOrderTests(create: CreateLog, newLog: NewLog): void {
  it("numbers records from 1 and keeps them across a reopening", async () => {
    const test = await TestLog.create(create);
    const log = await test.open();
    expect(log.nextSeq).toBe(1);
    expect(await append(log, "one")).toBe(1);
    expect(await append(log, "")).toBe(2);
    expect(await append(log, "three")).toBe(3);
    expect(log.nextSeq).toBe(4);
    await log.close();
    const again = await test.open();
    expect(await contents(again)).toEqual(["1:one", "2:", "3:three"]);
    expect(await append(again, "four")).toBe(4);
  });

  it("calls encode synchronously, in call order, with the number of the record", async () => {
    const log = await newLog();
    const encoded: number[] = [];
    const appends = Array.from({ length: 200 }, () =>
      log.append((seq) => {
        encoded.push(seq);
        return Buffer.from(`n${seq}`);
      }),
    );
    const expected = Array.from({ length: 200 }, (_, index) => index + 1);
    expect(encoded).toEqual(expected);
    expect(await Promise.all(appends)).toEqual(expected);
    expect(await contents(log)).toEqual(expected.map((seq) => `${seq}:n${seq}`));
  });

  it("acknowledges in the order of the numbers, over many groups", async () => {
    const log = await newLog();
    const acknowledged: number[] = [];
    const appends: Promise<unknown>[] = [];
    for (let round = 0; round < 20; round++) {
      for (let n = 0; n < 5; n++) appends.push(append(log, "x").then((seq) => acknowledged.push(seq)));
      await setImmediate();
    }
    await Promise.all(appends);
    expect(acknowledged).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(log.stats.groupCount).toBeGreaterThan(1);
    expect(log.stats.groupCount).toBeLessThan(100);
  });

  it("keeps records of a megabyte apart from small ones", async () => {
    const test = await TestLog.create(create);
    const log = await test.open();
    const large = "L".repeat(3 * 1024 * 1024);
    await Promise.all([append(log, "a"), append(log, large), append(log, "b"), append(log, large)]);
    expect((await log.read(2)).length).toBe(large.length);
    await log.close();
    expect(await test.reopened()).toEqual(["1:a", `2:${large}`, "3:b", `4:${large}`]);
  });
}

function registerEncodeTests(newLog: NewLog): void {
  it("may return one buffer for many appends, because its bytes are copied", async () => {
    const log = await newLog();
    const shared = Buffer.alloc(1);
    const appends = ["a", "b", "c"].map((letter) =>
      log.append(() => {
        shared.write(letter);
        return shared;
      }),
    );
    await Promise.all(appends);
    expect(await contents(log)).toEqual(["1:a", "2:b", "3:c"]);
  });

  it("may throw: the append fails, and the next gets its number", async () => {
    const log = await newLog();
    const failed = log.append(() => {
      throw new RangeError("not encodable");
    });
    await expect(failed).rejects.toThrow(RangeError);
    expect(await append(log, "next")).toBe(1);
  });

  it("must not append", async () => {
    const log = await newLog();
    let inner: Promise<number> | undefined;
    const outer = log.append(() => {
      inner = append(log, "inner");
      return Buffer.from("outer");
    });
    await expect(outer).rejects.toThrow(TypeError);
    expect(await inner).toBe(1);
    expect(await contents(log)).toEqual(["1:inner"]);
  });
}

function registerReadTests(create: CreateLog, newLog: NewLog): void {
  it("returns the bytes of one record from any segment, before and after a reopening", async () => {
    const test = await TestLog.create(create);
    const log = await test.open();
    await appendEach(log, ["one", "two"]);
    await log.rotate();
    await appendEach(log, ["three"]);
    expect(Buffer.from(await log.read(2)).toString()).toBe("two");
    expect(Buffer.from(await log.read(3)).toString()).toBe("three");
    await log.close();
    const again = await test.open();
    expect(Buffer.from(await again.read(1)).toString()).toBe("one");
    expect(Buffer.from(await again.read(3)).toString()).toBe("three");
  });

  it("finds neither a future record, nor an unacknowledged one, nor a trimmed one", async () => {
    const log = await newLog();
    await append(log, "one");
    await log.rotate();
    await append(log, "two");
    await trim(log, 2);
    const underWay = append(log, "three");
    const reads = [0, 1, 3, 4].map((seq) => log.read(seq).catch((error: { code: string }) => error.code));
    const missing = "memory_not_found";
    expect(await Promise.all(reads)).toEqual([missing, missing, missing, missing]);
    await underWay;
    expect(Buffer.from(await log.read(3)).toString()).toBe("three");
  });
}
