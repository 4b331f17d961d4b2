import { KitOptionsSchema } from "@membus/plugin-kit";
import { LanceStorageOptionsSchema } from "@membus/plugin-lancedb";
import { LruOptionsSchema } from "@membus/plugin-lru";
import { parseOptions } from "@membus/protocol";
import { expect, it } from "vitest";
import { perShard } from "../../src/cluster/per-shard.js";
import { CONFIG_DEFAULTS } from "../../src/config/config-schema.js";

const MIB = 1024 * 1024;

it("each shard gets its part of the bounds of a tier", () => {
  const { kit, lru } = perShard({ ...CONFIG_DEFAULTS, kit: { residentBytesMax: 160 * MIB } }, 16);
  expect(kit).toMatchObject({
    residentBytesMax: 10 * MIB,
    backlogBytesMax: 64 * MIB,
    flushIdleMs: 60_000,
    flushAtMaintenance: false,
  });
  expect(lru).toMatchObject({ bytesMax: 64 * MIB, scopeBytesMax: 256 * MIB });
});

it("256 shards have bounds that the options accept", () => {
  const { kit, lru, storage } = perShard(CONFIG_DEFAULTS, 256);
  parseOptions(KitOptionsSchema, kit!);
  parseOptions(LruOptionsSchema, lru!);
  parseOptions(LanceStorageOptionsSchema, storage!);
});
