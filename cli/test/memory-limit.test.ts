import { describe, expect, it } from "vitest";
import { withinMemory } from "../src/compose/memory-budget.js";
import { CONFIG_DEFAULTS } from "../src/config/config-schema.js";
import { memoryLimit } from "../src/config/memory-limit.js";
import { resolveConfig } from "../src/index.js";

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

  it("is what the machine has room for, where none is given", () => {
    const { limitBytes } = memoryLimit(undefined);
    expect(limitBytes).toBeGreaterThanOrEqual(512 * MIB);
    expect(limitBytes).toBeLessThanOrEqual(16 * GIB);
  });

  it("is refused where it is no size, or less than a host needs", async () => {
    const configured = (memory_limit: string) =>
      resolveConfig({ flags: { memory_limit }, env: {}, configPath: undefined });
    await expect(configured("much")).rejects.toThrow("flags: `memory_limit`: ");
    expect(() => memoryLimit("100MiB")).toThrow("`memory_limit` must be 512MiB at least, got 100MiB");
  });
});

describe("the bounds of a host", () => {
  const bounds = (limitBytes: number, heapBytes = 64 * GIB) =>
    withinMemory(CONFIG_DEFAULTS, { limitBytes, heapBytes }) as unknown as Record<
      string,
      Record<string, number>
    >;

  /** Of the working tier, and of two durable ones. */
  function sum({ host, lru, kit, storage }: ReturnType<typeof bounds>): number {
    const known = 350 * kit!.operationCountMax! + 300 * kit!.knownScopeCountMax!;
    const durable = kit!.residentBytesMax! + kit!.bodyCacheBytes! + kit!.backlogBytesMax! + known;
    const caches = storage!.indexCacheBytes! + storage!.metadataCacheBytes!;
    const working = lru!.bytesMax! + lru!.operationBytesMax! + 350 * lru!.operationCountMax!;
    return working + 2 * (durable + caches) + host!.inFlightBytesMax! + host!.embedderCacheBytesMax!;
  }

  it.each([768 * MIB, GIB, 4 * GIB])(
    "are all together within %i bytes, with room for the process",
    (limitBytes) => {
      expect(1.2 * sum(bounds(limitBytes)) + 256 * MIB).toBeLessThan(limitBytes);
    },
  );

  it("are the defaults where there is room for them", () => {
    const { lru, kit } = bounds(16 * GIB);
    expect([lru!.bytesMax, kit!.residentBytesMax, kit!.partitionRowsMax]).toEqual([GIB, 3 * GIB, 2_000_000]);
  });

  it("fit into V8's heap, but for what is outside of it", () => {
    const { lru, kit } = bounds(16 * GIB, 4 * GIB);
    expect(lru!.bytesMax! + 2 * kit!.residentBytesMax!).toBeLessThan(3 * GIB);
    expect(kit!.partitionRowsMax).toBe(2_000_000);
  });

  it("leave bursts of stores the room that they need, where caches give up most of theirs", () => {
    const { host, kit } = bounds(16 * GIB, 4 * GIB);
    expect([host!.inFlightBytesMax, kit!.backlogBytesMax]).toEqual([64 * MIB, 64 * MIB]);
    const small = bounds(GIB, GIB / 2);
    expect(small.kit!.backlogBytesMax).toBeGreaterThanOrEqual(8 * MIB);
  });

  it("bound what is known of namespaces", () => {
    expect(bounds(16 * GIB).kit!.knownScopeCountMax).toBe(500_000);
    expect(bounds(GIB, GIB / 2).kit!.knownScopeCountMax).toBeLessThan(20_000);
  });

  it("are those of the settings where these name them", () => {
    const config = { ...CONFIG_DEFAULTS, lru: { bytesMax: 7 * GIB } };
    const { lru } = withinMemory(config, { limitBytes: GIB, heapBytes: GIB });
    expect(lru).toMatchObject({ bytesMax: 7 * GIB });
  });
});
