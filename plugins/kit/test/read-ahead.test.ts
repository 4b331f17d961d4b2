import { describe, expect, it } from "vitest";
import { changedStorage } from "./changed-storage.js";
import { calls } from "./kit-calls.js";
import { settled, TestKit } from "./kit-fixture.js";

const KEYS = Array.from({ length: 2_500 }, (_, at) => `k${at}`);

/** A kit that was started anew, so that no body is in RAM, and the numbers of bodies that were read from storage. */
async function restarted(options: { readonly bodyCacheBytes?: number } = {}) {
  const reads: number[] = [];
  const kit = await TestKit.open({
    options,
    wrapStorage: (storage) =>
      changedStorage(storage, {
        async readBodies(scope, rowIds) {
          reads.push(rowIds.length);
          return storage.readBodies(scope, rowIds);
        },
      }),
  });
  const { store, retrieve, forget } = calls(kit);
  await store(KEYS.map((key) => ({ key })));
  await kit.fold();
  await kit.reopen();
  const read = async (...keys: string[]) => {
    const { entries } = await retrieve({ criteria: { keys } });
    await settled();
    return entries.map(({ key }) => key.name);
  };
  return { kit, reads, read, forget };
}

describe("bodies in storage", () => {
  it("are read as they are asked for, and with the second time all the others behind it", async () => {
    const { reads, read } = await restarted();
    expect(await read("k1", "k2")).toHaveLength(2);
    expect(reads).toEqual([2]);
    await read("k1");
    expect(reads).toEqual([2]);
    await read("k2", "k3");
    expect(reads).toEqual([2, 1, 998, 1_000, 500]);
    const before = reads.length;
    expect(await read("k2400", "k7")).toHaveLength(2);
    expect(reads).toHaveLength(before);
  });

  it("are read one by one where they would take too much of the cache", async () => {
    const { reads, read } = await restarted({ bodyCacheBytes: 64 * 1024 });
    for (const key of ["k1", "k2", "k3"]) await read(key);
    expect(reads).toEqual([1, 1, 1]);
  });

  it("do not come back for rows that were forgotten meanwhile", async () => {
    const { kit, read, forget } = await restarted();
    await read("k1");
    const reading = read("k2");
    const { deleted } = await forget({ keys: KEYS });
    await reading;
    expect(deleted).toBe(KEYS.length);
    expect(kit.plugin.stats().bodiesCached).toBe(0);
  });
});
