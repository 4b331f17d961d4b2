import { describe, expect, it } from "vitest";
import { fitToMemory } from "../src/compose/memory-budget.js";
import { CONFIG_DEFAULTS } from "../src/config/config-schema.js";
import { memoryLimit } from "../src/config/memory-limit.js";
import { resolveConfig } from "../src/config/resolve-config.js";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

describe("the memory limit", () => {
  it.each([
    ["2GiB", 2 * GIB],
    ["1.5 GiB", 1.5 * GIB],
    ["800MiB", 800 * MIB],
    [GIB, GIB],
  ])("of %s is %i bytes", (given, bytes) => {
    expect(memoryLimit(given).limitBytes).toBe(bytes);
  });

  it("depends on the machine's memory by default", () => {
    const { limitBytes } = memoryLimit(undefined);
    expect(limitBytes).toBeGreaterThanOrEqual(512 * MIB);
    expect(limitBytes).toBeLessThanOrEqual(16 * GIB);
  });

  it("is rejected if it is not a size, or below the minimum", async () => {
    const configured = (memory_limit: string) =>
      resolveConfig({ flags: { memory_limit }, env: {}, configPath: undefined });
    await expect(configured("much")).rejects.toThrow("flags: memory_limit must be");
    expect(() => memoryLimit("100MiB")).toThrow("`memory_limit` must be at least 512MiB, got 100MiB");
  });
});

describe("the limits of a host", () => {
  const bounds = (limitBytes: number, heapBytes = 64 * GIB, shardCount?: number) =>
    fitToMemory(CONFIG_DEFAULTS, { limitBytes, heapBytes }, shardCount) as unknown as Record<
      string,
      Record<string, number>
    >;

  /** Sum for the working tier and two durable tiers. */
  function sum({ host, lru, kit, storage }: ReturnType<typeof bounds>, backlogCount = 1): number {
    const known = 350 * kit!.operationCountMax! + 300 * kit!.knownScopeCountMax!;
    const backlogs = backlogCount * kit!.backlogBytesMax!;
    const durable = kit!.residentBytesMax! + kit!.bodyCacheBytes! + backlogs + known;
    const caches = storage!.indexCacheBytes! + storage!.metadataCacheBytes!;
    const working = lru!.bytesMax! + lru!.operationBytesMax! + 350 * lru!.operationCountMax!;
    return working + 2 * (durable + caches) + host!.inFlightBytesMax! + host!.embedderCacheBytesMax!;
  }

  it.each([768 * MIB, GIB, 4 * GIB])(
    "total at most %i bytes, with a reserve for the process",
    (limitBytes) => {
      expect(1.2 * sum(bounds(limitBytes)) + 256 * MIB).toBeLessThan(limitBytes);
    },
  );

  it.each([
    [768 * MIB, 1],
    [768 * MIB, 16],
    [4 * GIB, 16],
    [4 * GIB, 128],
  ])("total at most %i bytes with the backlogs of %i shards, all on one host", (limitBytes, shardCount) => {
    expect(1.2 * sum(bounds(limitBytes, 64 * GIB, shardCount), shardCount) + 256 * MIB).toBeLessThan(
      limitBytes,
    );
  });

  it("give each shard an equal part for its backlog, at most the default and at least a mebibyte", () => {
    const backlog = (...given: Parameters<typeof bounds>) => bounds(...given).kit!.backlogBytesMax! / MIB;
    expect(backlog(16 * GIB, 64 * GIB, 1)).toBe(64);
    expect(backlog(16 * GIB, 4 * GIB, 16)).toBeCloseTo((0.7 * 4_096 - 96) / 160, 4);
    expect(backlog(GIB, GIB, 256)).toBe(1);
  });

  it("equal the defaults with enough memory", () => {
    const { lru, kit } = bounds(16 * GIB);
    expect([lru!.bytesMax, kit!.residentBytesMax, kit!.partitionRowsMax]).toEqual([GIB, 3 * GIB, 2_000_000]);
  });

  it("fit into V8's heap, except for data outside of it", () => {
    const { lru, kit } = bounds(16 * GIB, 4 * GIB);
    expect(lru!.bytesMax! + 2 * kit!.residentBytesMax!).toBeLessThan(3 * GIB);
    expect(kit!.partitionRowsMax).toBe(2_000_000);
  });

  it("keep buffers for bursts of stores, and shrink the caches instead", () => {
    const { host, kit } = bounds(16 * GIB, 4 * GIB);
    expect([host!.inFlightBytesMax, kit!.backlogBytesMax]).toEqual([64 * MIB, 64 * MIB]);
    const small = bounds(GIB, GIB / 2);
    expect(small.kit!.backlogBytesMax).toBeGreaterThanOrEqual(8 * MIB);
  });

  it("include the index of known namespaces", () => {
    expect(bounds(16 * GIB).kit!.knownScopeCountMax).toBe(500_000);
    expect(bounds(GIB, GIB / 2).kit!.knownScopeCountMax).toBeLessThan(20_000);
  });

  it("equal the configured values", () => {
    const config = { ...CONFIG_DEFAULTS, lru: { bytesMax: 7 * GIB } };
    const { lru } = fitToMemory(config, { limitBytes: GIB, heapBytes: GIB });
    expect(lru).toMatchObject({ bytesMax: 7 * GIB });
  });
});
