import { parseScopeId, scopeId } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { BodyCache } from "../src/lifecycle/residency/body-cache.js";
import { LoadedPartition } from "../src/lifecycle/residency/loaded-partition.js";
import { PartitionRegistry } from "../src/lifecycle/residency/partition-registry.js";
import { settled } from "./kit-fixture.js";
import { scope, selector } from "./kit-requests.js";
import { TestClock } from "./test-clock.js";
import { emptyPartition, testRow } from "./test-row.js";

const SMALL = emptyPartition(null).sizeBytes;

function registryOf(
  residentBytesMax: number,
  { unloadsEmpty = false, newestAt = 0, clock = new TestClock() } = {},
) {
  const loads: string[] = [];
  const kept = new Set<string>();
  const registry = new PartitionRegistry(
    { residentBytesMax },
    {
      ...{ clock, unloadsEmpty, newestAt },
      async load(id) {
        await settled(1);
        loads.push(parseScopeId(id).namespace);
        return emptyPartition(null);
      },
      mayUnload: ({ id }) => !kept.has(id),
      isStored: () => true,
      storedScopes: async () => ["stored", "a/stored", "a/empty"].map((namespace) => scope({ namespace })),
    },
  );
  const visit = (namespace: string) => registry.use(scope({ namespace }), async (loaded) => loaded);
  const inRam = () => [...registry.partitions].map(({ scope: { namespace } }) => namespace);
  return { registry, loads, kept, visit, inRam };
}

describe("the loaded partitions", () => {
  it("are loaded once for concurrent requests", async () => {
    const { loads, visit } = registryOf(1e9);
    const partitions = await Promise.all(["a", "a", "a", "b"].map(visit));
    expect(new Set(partitions).size).toBe(2);
    expect(await visit("a")).toBe(partitions[0]);
    expect(loads).toEqual(["a", "b"]);
  });

  it("are none after a clear, until the next request", async () => {
    const { registry, loads, visit, inRam } = registryOf(1e9);
    await visit("a");
    registry.clear();
    expect([inRam(), registry.stats]).toEqual([
      [],
      { partitions: 0, partition_bytes: 0, partitions_searched_on_disk: 0 },
    ]);
    await visit("a");
    expect(loads).toEqual(["a", "a"]);
  });

  it("are unloaded above the limit, the least recently used first, except those in use or kept", async () => {
    const { registry, kept, visit, inRam } = registryOf(SMALL * 2);
    kept.add(scopeId(scope({ namespace: "kept" })));
    await visit("kept");
    await visit("a");
    await registry.use(scope({ namespace: "busy" }), async () => {
      await visit("b");
      expect(inRam()).toEqual(["kept", "busy"]);
      await visit("kept");
    });
    expect(inRam()).toEqual(["busy", "kept"]);
    await visit("c");
    expect(inRam()).toEqual(["kept", "c"]);
    expect(registry.stats).toMatchObject({ partitions: 2, partition_bytes: 2 * SMALL });
  });

  it("are not looked at beyond the limit of a read", async () => {
    let seen = 0;
    function* stored() {
      for (let n = 0; n < 100_000; n++) {
        seen++;
        yield scope({ namespace: `a/${n}` });
      }
    }
    const { dependencies } = registryOf(1e9).registry;
    const storedScopes = async () => stored();
    const registry = new PartitionRegistry({ residentBytesMax: 1e9 }, { ...dependencies, storedScopes });
    await registry.use(scope({ namespace: "a/loaded" }), (loaded) => void loaded.partition.liveCount++);
    await expect(registry.select(selector({ namespace: "a/**" }), 256)).rejects.toMatchObject({
      code: "too_large",
      detail: { limit: "subtreePartitions", max: 256, got: 257 },
    });
    expect(seen).toBe(256);
  });

  it("are a single instance when one is unloaded while others wait for it", async () => {
    const { registry, visit, inRam } = registryOf(1);
    const seen = new Set<LoadedPartition>();
    const users = Array.from({ length: 50 }, (_, at) =>
      registry.use(scope({ namespace: `n${at % 2}` }), async (loaded) => {
        seen.add(loaded);
        loaded.partition.liveCount++;
        await settled(at % 5);
        const now = registry.peek(loaded.id);
        expect(now).toBe(loaded);
      }),
    );
    await Promise.all(users);
    expect([...seen].reduce((sum, { partition }) => sum + partition.liveCount, 0)).toBe(50);
    expect(inRam()).toHaveLength(1);
    await visit("n0");
  });

  it("stay if they are the only one, even above the limit, and are unloaded when another is loaded", async () => {
    const { loads, visit, inRam } = registryOf(1);
    await visit("large");
    await visit("large");
    expect(loads).toEqual(["large"]);
    await visit("other");
    expect(inRam()).toEqual(["other"]);
  });

  it("are loaded again after a failed load", async () => {
    const { registry, visit } = registryOf(1e9);
    const load = registry.dependencies.load;
    registry.dependencies.load = async () => {
      throw new Error("disk");
    };
    await expect(Promise.all([visit("a"), visit("a")])).rejects.toThrow("disk");
    registry.dependencies.load = load;
    expect((await visit("a")).users).toBe(0);
  });

  it("are unloaded when they are empty and nothing would be lost", async () => {
    const { registry, visit, inRam } = registryOf(1e9, { unloadsEmpty: true });
    await visit("a");
    await registry.use(scope({ namespace: "b" }), ({ partition }) => partition.add(testRow()));
    expect(inRam()).toEqual(["b"]);
  });

  it("are selected by subtree with the stored ones, except known empty ones", async () => {
    const { registry, visit } = registryOf(1e9);
    await visit("a/empty");
    await registry.use(scope({ namespace: "a/new" }), ({ partition }) => partition.add(testRow()));
    const namespaces = async (namespace: string) =>
      (await registry.select(selector({ namespace }))).map((found) => found.namespace);
    expect(await namespaces("a/**")).toEqual(["a/new", "a/stored"]);
    expect(await namespaces("b/**")).toEqual([]);
    expect(await namespaces("b")).toEqual(["b"]);
  });
});

describe("a loaded's revisions", () => {
  const loaded = (revisionMin: number) => new LoadedPartition("id", scope(), emptyPartition(), revisionMin);

  it("are the acceptance time in microseconds, or one more than the last", () => {
    const { nextRevision } = ((one) => ({ nextRevision: one.nextRevision.bind(one) }))(loaded(0));
    expect([100.5, 100.5, 100.2, 101].map(nextRevision)).toEqual([
      100_500_000, 100_500_001, 100_500_002, 101_000_000,
    ]);
  });

  it("are not reused after the partition was unloaded, and do not keep it loaded if the clock is behind", async () => {
    const { registry, visit, inRam } = registryOf(1, { newestAt: 200, clock: new TestClock(100) });
    const revisions: number[] = [];
    for (let round = 0; round < 3; round++) {
      await registry.use(scope({ namespace: "a" }), (one) => revisions.push(one.nextRevision(100)));
      await visit("other");
      expect(inRam()).toEqual(["other"]);
    }
    expect(revisions).toEqual([200_000_000, 200_000_001, 200_000_002]);
  });

  it("keep the partition loaded until the time is above them, so that no other partition depends on them", async () => {
    const clock = new TestClock(100);
    const { registry, visit, inRam } = registryOf(1, { newestAt: 0, clock });
    await registry.use(scope({ namespace: "a" }), (one) => [1, 2].map(() => one.nextRevision(100)));
    await visit("other");
    expect(inRam()).toEqual(["a"]);
    clock.advance(0.000_002);
    await visit("other");
    expect(inRam()).toEqual(["other"]);
  });

  it("stage and unstage by record", () => {
    const one = loaded(0);
    one.stage("k", { seq: 1, row: null });
    one.stage("k", { seq: 3, row: testRow() });
    one.unstage("k", 1);
    expect(one.staged.get("k")?.seq).toBe(3);
    one.stage("l", { seq: 4, row: null });
    one.unstageFrom(4);
    expect([...one.staged.keys()]).toEqual(["k"]);
    one.unstage("k", 3);
    expect(one.isEmpty).toBe(true);
  });
});

describe("the bodies in RAM", () => {
  const stored = new Map([
    [1, "one"],
    [2, "two"],
  ]);

  it("are read once, and pinned ones never", async () => {
    const reads: number[][] = [];
    const bodies = new BodyCache({ cacheBytes: 65_536 }, async (_, rowIds) => {
      reads.push([...rowIds]);
      return stored;
    });
    bodies.pin(9, "nine");
    expect(await bodies.get("s", [1, 9])).toEqual(new Map([...stored, [9, "nine"]]));
    expect(await bodies.get("s", [1, 2, 9])).toEqual(new Map([...stored, [9, "nine"]]));
    expect(reads).toEqual([[1]]);
    bodies.unpin([9, 10]);
    expect([bodies.peek(9), bodies.stats.bodies_pinned]).toEqual(["nine", 0]);
    bodies.drop(9);
    bodies.drop(1);
    expect([bodies.peek(9), bodies.peek(1)]).toEqual([undefined, undefined]);
  });

  it("are not cached if their row is removed during the read", async () => {
    let answer = (): void => undefined;
    const bodies = new BodyCache({ cacheBytes: 65_536 }, async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return stored;
    });
    const reading = bodies.get("s", [1, 2]);
    bodies.drop(1);
    answer();
    await reading;
    expect([bodies.peek(1), bodies.peek(2)]).toEqual([undefined, "two"]);
  });
});
