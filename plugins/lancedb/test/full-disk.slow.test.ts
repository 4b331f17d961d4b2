import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMemoryError, systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { openFolder } from "./folder-fixture.js";
import { fill, freeBytes, mountSmallDisk, unmount } from "./small-disk.js";

const MIB = 1024 * 1024;
const disk = mountSmallDisk(96 * MIB);
let plugin: MemoryPlugin | undefined;
afterEach(async () => {
  await plugin?.close?.();
  plugin = undefined;
});
afterAll(() => {
  if (disk !== undefined) unmount(disk);
});

async function openTier(): Promise<ReturnType<typeof calls>> {
  plugin = await openFolder(join(disk!, "tier"), { kit: { flushIdleMs: 500 } });
  return calls({ plugin, clock: systemClock });
}

/** @returns the number of 64 KiB stores that fit. */
async function storeUntilFull(store: ReturnType<typeof calls>["store"]): Promise<number> {
  for (let n = 0; ; n++) {
    try {
      await store([{ key: `k${n}`, content: randomBytes(32_768).toString("hex") }]);
    } catch (error) {
      if (isMemoryError(error) && error.code === "memory_full") return n;
      throw error;
    }
  }
}

/** Runs maintenance until `isDone`, because failures for lack of space are retried after some seconds. */
async function maintainUntil(isDone: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 60 && !(await isDone()); round++) {
    await plugin!.maintain!().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  expect(await isDone()).toBe(true);
}

describe.runIf(disk !== undefined)("a disk without any free space (if file systems can be mounted)", () => {
  it("serves reads and forgets, opens after a restart, and accepts stores again after large forgets", async () => {
    const first = await openTier();
    await plugin!.maintain!();
    const count = await storeUntilFull(first.store);
    expect(count).toBeGreaterThan(400);
    await plugin!.maintain!().catch(() => undefined);
    await fill(disk!);
    expect(await freeBytes(disk!)).toBe(0);
    expect((await first.retrieve({ limit: 5 })).total).toBe(count);
    await plugin!.close!().catch(() => undefined);

    const again = await openTier();
    expect((await again.retrieve({ limit: 5 })).total).toBe(count);
    await expect(again.store([{ key: "more" }])).rejects.toMatchObject({ code: "memory_full" });
    const keys = Array.from({ length: count - 10 }, (_, n) => `k${n}`);
    for (let at = 0; at < keys.length; at += 500) await again.forget({ keys: keys.slice(at, at + 500) });
    await maintainUntil(() => plugin!.stats!().disk_full === 0);
    expect((await again.store([{ key: "more" }])).receipts[0]!.outcome).toBe("created");
    expect((await again.retrieve()).total).toBe(11);
    expect(await readdir(join(disk!, "tier", "table"))).toHaveLength(1);
  });
});
