import { afterEach, describe, expect, it } from "vitest";
import { openFolder } from "./folder-fixture.js";
import { bytesOnDisk, overwrite } from "./overwrites.js";
import { StorageFixture } from "./storage-fixture.js";

const MIB = 1024 * 1024;
const fixture = new StorageFixture();
afterEach(() => fixture.end());

/** 3,000 stores of one key left 198 MB of its log at 64 KiB, and 690 MB at 230. */
describe("a key that is overwritten 1,000 times", () => {
  it.each([20, 65_536, 230_000])(
    "leaves two segments, a KiB per reply and a small table at %i bytes",
    async (contentBytes) => {
      const directory = await fixture.directory();
      const plugin = await openFolder(directory);
      await overwrite(plugin, { count: 1_000, contentBytes, maintainEvery: 100 });
      await plugin.maintain!();
      const { log = 0, table = 0 } = await bytesOnDisk(directory);
      await plugin.close!();
      expect(log).toBeLessThan(2 * 16 * MIB + 1_000 * 1_024);
      expect(table).toBeLessThan(16 * MIB + 2 * contentBytes);
    },
  );
});
