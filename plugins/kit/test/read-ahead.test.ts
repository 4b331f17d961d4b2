import { describe, expect, it } from "vitest";
import { changedStorage } from "./changed-storage.js";
import { calls } from "./kit-calls.js";
import { settled, TestKit } from "./kit-fixture.js";

const KEYS = Array.from({ length: 2_500 }, (_, at) => `k${at}`);

/** Returns a restarted kit without bodies in RAM, and the numbers of bodies read from storage. */
async function restarted(options: { readonly bodyCacheBytes?: number } = {}) {
  const reads: number[] = [];
  const duringRead: { run?: (count: number) => Promise<void> } = {};
  const kit = await TestKit.open({
    options,
    wrapStorage: (storage) =>
      changedStorage(storage, {
        async readBodies(scope, rowIds) {
          reads.push(rowIds.length);
          await duringRead.run?.(reads.length);
          return storage.readBodies(scope, rowIds);
        },
      }),
  });
  const { store, retrieve, forget } = calls(kit);
  await store(KEYS.map((key) => ({ key })));
  await kit.flush();
  await kit.reopen();
  const read = async (...keys: string[]) => {
    const { entries } = await retrieve({ criteria: { keys } });
    await settled();
    return entries.map(({ key }) => key.name);
  };
  return { kit, reads, read, forget, duringRead };
}

describe("bodies in storage", () => {
  it("are read on demand, and the second read triggers reading the rest in the background", async () => {
    const { reads, read } = await restarted();
    expect(await read("k1", "k2")).toHaveLength(2);
    expect(reads).toEqual([2]);
    await read("k1");
    expect(reads).toEqual([2]);
    await read("k2", "k3");
    expect(reads).toEqual([2, 1, 997, 1_000, 500]);
    const before = reads.length;
    expect(await read("k2400", "k7")).toHaveLength(2);
    expect(reads).toHaveLength(before);
  });

  it("are read on demand if they would fill too much of the cache", async () => {
    const { reads, read } = await restarted({ bodyCacheBytes: 64 * 1024 });
    for (const key of ["k1", "k2", "k3"]) await read(key);
    expect(reads).toEqual([1, 1, 1]);
  });

  it("are not cached for rows forgotten during the read", async () => {
    const { kit, read, forget } = await restarted();
    await read("k1");
    const reading = read("k2");
    const { deleted } = await forget({ keys: KEYS });
    await reading;
    expect(deleted).toBe(KEYS.length);
    expect(kit.plugin.stats().bodies_cached).toBe(0);
  });

  it("are not cached for rows forgotten after the others were renumbered", async () => {
    const { kit, reads, read, forget, duringRead } = await restarted();
    duringRead.run = async (count) => {
      if (count === 3) {
        await forget({ keys: KEYS.slice(0, 1_300) });
        await kit.plugin.maintain();
      } else if (count === 4) await forget({ keys: KEYS.slice(1_300) });
    };
    await read("k1");
    await read("k2");
    await expect.poll(() => reads).toHaveLength(4);
    await settled();
    expect(kit.plugin.stats().bodies_cached).toBe(0);
  });

  it("are not read after the tier closes", async () => {
    const { kit, reads, read, duringRead } = await restarted();
    let closing: Promise<void> | undefined;
    duringRead.run = async (count) => {
      if (count === 3) closing = kit.plugin.close();
    };
    await read("k1");
    await read("k2");
    await closing;
    expect(reads).toHaveLength(3);
  });
});
