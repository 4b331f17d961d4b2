import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { openTier } from "./cascade-fixture.js";
import { filesWith, StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
let plugin: MemoryPlugin | undefined;
afterEach(async () => {
  await plugin?.close?.();
  plugin = undefined;
  await fixture.end();
});

const secret = (key: string) => ({
  key,
  content: `content-s3cret of ${key}`,
  tags: ["tag-s3cret"],
  metadata: { name: "metadata-s3cret" },
});

async function reopen(directory: string): Promise<ReturnType<typeof calls>> {
  await plugin?.close?.();
  plugin = await openTier(directory);
  return calls({ plugin, clock: systemClock });
}

describe("a forget with purge", () => {
  it("is answered when no byte is left in tables, log and the copies of a repair", async () => {
    const directory = await fixture.directory();
    const { store, forget, retrieve } = await reopen(directory);
    await store([...Array.from({ length: 50 }, (_, n) => ({ key: `kept ${n}`, content: n })), secret("a")]);
    await plugin!.maintain!();
    await store([secret("b"), { key: "kept", content: "kept" }]);
    await retrieve({ query: "s3cret" });
    await writeFile(join(directory, "log", "0000000000000001.log.corrupt-1"), "s3cret");
    expect((await filesWith(directory, "s3cret")).length).toBeGreaterThanOrEqual(3);
    const forgotten = await forget({ keys: ["a", "b"] }, { purge: true });
    expect(forgotten).toMatchObject({ deleted: 2, purge: "done" });
    expect(await filesWith(directory, "s3cret")).toEqual([]);
    expect((await retrieve()).total).toBe(51);
    const reopened = await reopen(directory);
    expect((await reopened.retrieve()).total).toBe(51);
  });

  it("keeps every reply for a retry, also after a restart", async () => {
    const directory = await fixture.directory();
    const first = await reopen(directory);
    const stored = await first.store([secret("a"), { key: "kept" }], { id: "a store" });
    const forgotten = await first.forget({ keys: ["a"] }, { id: "a forget", purge: true });
    for (const open of [async () => first, () => reopen(directory)]) {
      const { store, forget } = await open();
      expect(await store([secret("a"), { key: "kept" }], { id: "a store" })).toEqual(stored);
      expect(await forget({ keys: ["a"] }, { id: "a forget", purge: true })).toEqual(forgotten);
      const status = await plugin!.onStatus({ tenant: "acme", agent: "alice", id: "a store" });
      expect(status?.receipts.map(({ outcome }) => outcome)).toEqual(["created", "created"]);
    }
    expect(await filesWith(directory, "s3cret")).toEqual([]);
  });

  it("runs concurrently with stores, which lose nothing", async () => {
    const directory = await fixture.directory();
    const { store, forget, retrieve } = await reopen(directory);
    await store([secret("a")]);
    const stores = Array.from({ length: 300 }, (_, n) =>
      store([{ key: `k${n}`, content: n }], { id: `s${n}` }),
    );
    const [forgotten] = await Promise.all([forget({ keys: ["a"] }, { purge: true }), ...stores]);
    expect(forgotten).toMatchObject({ deleted: 1, purge: "done" });
    expect(await filesWith(directory, "s3cret")).toEqual([]);
    expect((await retrieve()).total).toBe(300);
    const again = await reopen(directory);
    expect((await again.retrieve()).total).toBe(300);
    expect(await again.store([{ key: "k7", content: 7 }], { id: "s7" })).toMatchObject({
      receipts: [{ outcome: "created" }],
    });
  });
});
