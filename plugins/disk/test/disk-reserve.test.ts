import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryError } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { DiskReserve, isDiskFull, withFreedSpace } from "../src/index.js";
import { temporaryDirectory } from "./log-fixture.js";

const MIB = 1024 * 1024;
const sizeOf = async (directory: string) => (await stat(join(directory, "reserve"))).size;
const enospc = () => Object.assign(new Error("write"), { code: "ENOSPC" });

describe("the disk reserve", () => {
  it("is created, released except for the part of a start, and created again", async () => {
    const directory = await temporaryDirectory();
    const reserve = await DiskReserve.find(directory, 3 * MIB + 5);
    expect([reserve.isReleased, await reserve.release()]).toEqual([false, false]);
    await reserve.restore();
    expect([reserve.isReleased, await sizeOf(directory)]).toEqual([false, 3 * MIB + 5]);
    expect([await reserve.release(), reserve.isReleased, await sizeOf(directory)]).toEqual([true, true, MIB]);
    expect(await reserve.release()).toBe(false);
    expect(await reserve.releaseAll()).toBe(true);
    await expect(sizeOf(directory)).rejects.toThrow("ENOENT");
    await reserve.restore();
    expect([reserve.isReleased, await sizeOf(directory)]).toEqual([false, 3 * MIB + 5]);
  });

  it("has the size of the last start's option", async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, "reserve"), Buffer.alloc(2 * MIB));
    const larger = await DiskReserve.find(directory, 3 * MIB);
    expect(larger.isReleased).toBe(false);
    await larger.restore();
    expect([larger.isReleased, await sizeOf(directory)]).toEqual([false, 3 * MIB]);
    const none = await DiskReserve.find(directory, 0);
    await none.restore();
    expect(none.isReleased).toBe(false);
    await expect(sizeOf(directory)).rejects.toThrow("ENOENT");
  });

  it("is not created if it would fill the disk", async () => {
    const directory = await temporaryDirectory();
    const reserve = await DiskReserve.find(directory, 2 ** 50);
    await reserve.restore();
    expect(reserve.isReleased).toBe(true);
    await expect(sizeOf(directory)).rejects.toThrow("ENOENT");
  });

  it("counts as released after a restart if there is no space for the rest of it", async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, "reserve"), Buffer.alloc(MIB));
    expect((await DiskReserve.find(directory, 2 ** 50)).isReleased).toBe(true);
  });
});

describe("a full disk", () => {
  it("is detected by the system's code, by the cause of an error, and by a library's message", () => {
    expect(isDiskFull(enospc())).toBe(true);
    expect(isDiskFull(new MemoryError("unavailable", "m", { reason: "EDQUOT" }))).toBe(true);
    expect(isDiskFull(new Error("flush", { cause: enospc() }))).toBe(true);
    expect(isDiskFull(new Error("LanceError(IO): No space left on device (os error 28)"))).toBe(true);
    expect([isDiskFull(new Error("EIO")), isDiskFull("ENOSPC"), isDiskFull(undefined)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("is retried once if space was freed", async () => {
    let attempts = 0;
    const task = async () => {
      attempts++;
      if (attempts < 2) throw enospc();
      return attempts;
    };
    await expect(withFreedSpace(async () => false, task)).rejects.toThrow("write");
    attempts = 0;
    expect(await withFreedSpace(async () => true, task)).toBe(2);
  });
});
