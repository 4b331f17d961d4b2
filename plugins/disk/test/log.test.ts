import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { append, appendEach, contents, openLog, reopened, temporaryDirectory } from "./log-fixture.js";

describe("append", () => {
  it("numbers records from 1 and keeps them across a reopening", async () => {
    const directory = await temporaryDirectory();
    const log = await openLog(directory);
    expect(log.nextSeq).toBe(1);
    expect(await append(log, "one")).toBe(1);
    expect(await append(log, "")).toBe(2);
    expect(await append(log, "three")).toBe(3);
    expect(log.nextSeq).toBe(4);
    await log.close();
    const again = await openLog(directory);
    expect(await contents(again)).toEqual(["1:one", "2:", "3:three"]);
    expect(await append(again, "four")).toBe(4);
  });

  it("calls encode synchronously, in call order, with the number of the record", async () => {
    const log = await openLog(await temporaryDirectory());
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
    const log = await openLog(await temporaryDirectory());
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
    const directory = await temporaryDirectory();
    const log = await openLog(directory);
    const large = "L".repeat(3 * 1024 * 1024);
    await Promise.all([append(log, "a"), append(log, large), append(log, "b"), append(log, large)]);
    expect((await log.read(2)).length).toBe(large.length);
    await log.close();
    expect(await reopened(directory)).toEqual(["1:a", `2:${large}`, "3:b", `4:${large}`]);
  });
});

describe("encode", () => {
  it("may return one buffer for many appends, because its bytes are copied", async () => {
    const log = await openLog(await temporaryDirectory());
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
    const log = await openLog(await temporaryDirectory());
    const failed = log.append(() => {
      throw new RangeError("not encodable");
    });
    await expect(failed).rejects.toThrow(RangeError);
    expect(await append(log, "next")).toBe(1);
  });

  it("must not append", async () => {
    const log = await openLog(await temporaryDirectory());
    let inner: Promise<number> | undefined;
    const outer = log.append(() => {
      inner = append(log, "inner");
      return Buffer.from("outer");
    });
    await expect(outer).rejects.toThrow(TypeError);
    expect(await inner).toBe(1);
    expect(await contents(log)).toEqual(["1:inner"]);
  });
});

describe("limits", () => {
  it("refuses a record over recordBytesMax and accepts one of that size", async () => {
    const log = await openLog(await temporaryDirectory(), { recordBytesMax: 10 });
    await expect(append(log, "12345678901")).rejects.toMatchObject({
      code: "too_large",
      detail: { limit: "messageBytes", max: 10, got: 11 },
    });
    expect(await append(log, "1234567890")).toBe(1);
  });

  it("refuses more than queueCountMax queued records until they are durable", async () => {
    const log = await openLog(await temporaryDirectory(), { queueCountMax: 2 });
    const taken = [append(log, "a"), append(log, "b")];
    const refused = append(log, "c");
    await expect(refused).rejects.toMatchObject({ code: "overloaded", detail: { retry_after_ms: 1 } });
    expect(await Promise.all(taken)).toEqual([1, 2]);
    expect(await append(log, "d")).toBe(3);
    expect(await contents(log)).toEqual(["1:a", "2:b", "3:d"]);
  });

  it("refuses once queueBytesMax bytes are queued", async () => {
    const log = await openLog(await temporaryDirectory(), { queueBytesMax: 5 });
    const taken = [append(log, "1234"), append(log, "5678")];
    expect(log.stats).toMatchObject({ queuedCount: 2, queuedBytes: 8 });
    await expect(append(log, "9")).rejects.toMatchObject({ code: "overloaded" });
    await Promise.all(taken);
    expect(log.stats).toMatchObject({ queuedCount: 0, queuedBytes: 0 });
  });

  it.each([
    [{ segmentByte: 4096 }, "unknown option `segmentByte` (did you mean `segmentBytes`?)"],
    [{ durability: "none" }, "durability must be one of disk, process, got none"],
    [{ segmentBytes: 0 }, "segmentBytes must be an integer of 4096..1073741824, got 0"],
    [{ repair: 1 }, "repair must be true or false, got 1"],
  ])("refuses the options %j", async (options, message) => {
    const opening = openLog(await temporaryDirectory(), options as object);
    await expect(opening).rejects.toThrow(new TypeError(message));
  });
});

describe("read", () => {
  it("returns the bytes of one record from any segment, before and after a reopening", async () => {
    const directory = await temporaryDirectory();
    const log = await openLog(directory);
    await appendEach(log, ["one", "two"]);
    await log.rotate();
    await appendEach(log, ["three"]);
    expect(Buffer.from(await log.read(2)).toString()).toBe("two");
    expect(Buffer.from(await log.read(3)).toString()).toBe("three");
    await log.close();
    const again = await openLog(directory);
    expect(Buffer.from(await again.read(1)).toString()).toBe("one");
    expect(Buffer.from(await again.read(3)).toString()).toBe("three");
  });

  it("finds neither a future record, nor an unacknowledged one, nor a trimmed one", async () => {
    const log = await openLog(await temporaryDirectory());
    await append(log, "one");
    await log.rotate();
    await append(log, "two");
    await log.trim(2);
    const underWay = append(log, "three");
    const reads = [0, 1, 3, 4].map((seq) => log.read(seq).catch((error: { code: string }) => error.code));
    const missing = "memory_not_found";
    expect(await Promise.all(reads)).toEqual([missing, missing, missing, missing]);
    await underWay;
    expect(Buffer.from(await log.read(3)).toString()).toBe("three");
  });
});
