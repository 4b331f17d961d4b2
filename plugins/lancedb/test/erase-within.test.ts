import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KitOptions } from "@membus/plugin-kit";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { TestClock } from "../../kit/test/test-clock.js";
import { openTier } from "./cascade-fixture.js";
import { filesWith, StorageFixture } from "./storage-fixture.js";

const T0 = 1_800_000_000;
const WITHIN_S = 100;
const fixture = new StorageFixture();
let plugin: MemoryPlugin | undefined;
afterEach(async () => {
  await plugin?.close?.();
  plugin = undefined;
  await fixture.end();
});

/** Rows are flushed at each maintenance, or after hours. */
const FLUSHES = [
  ["at each maintenance", {}],
  ["late", { flushAtMaintenance: false, flushIdleMs: 3_600_000 }],
] as const;

async function open(
  directory: string,
  clock: TestClock,
  flushes: KitOptions = {},
): Promise<ReturnType<typeof calls>> {
  await plugin?.close?.();
  plugin = await openTier(directory, { eraseWithinS: WITHIN_S, ...flushes }, clock);
  return calls({ plugin, clock });
}

const erasureOf = (id: string, agent = "alice") => plugin!.onErasure!({ tenant: "acme", agent, id });
const secret = [{ key: "a", content: "s3cret", tags: ["s3cret"] }, { key: "kept" }];

describe("a forgotten entry", () => {
  it.each(FLUSHES)(
    "is erased from an idle folder with flushes %s in time, while its replies are kept",
    async (_, flushes) => {
      const [directory, clock] = [await fixture.directory(), new TestClock(T0)];
      const { store, forget } = await open(directory, clock, flushes);
      const stored = await store(secret, { id: "s" });
      await forget({ keys: ["a"] }, { id: "f" });
      expect(await erasureOf("f")).toEqual({ purge: "scheduled", purge_by: T0 + WITHIN_S });
      await plugin!.maintain!();
      expect(await filesWith(directory, "s3cret")).not.toEqual([]);
      expect(await erasureOf("f")).toEqual({ purge: "scheduled", purge_by: T0 + WITHIN_S });
      clock.advance(WITHIN_S - 1);
      await plugin!.maintain!();
      expect(await filesWith(directory, "s3cret")).toEqual([]);
      expect(await erasureOf("f")).toEqual({ purge: "done", purged_at: T0 + WITHIN_S - 1 });
      expect(await store(secret, { id: "s" })).toEqual(stored);
      const reopened = await open(directory, clock, flushes);
      expect(await erasureOf("f")).toEqual({ purge: "done", purged_at: T0 + WITHIN_S - 1 });
      expect(await reopened.store(secret, { id: "s" })).toEqual(stored);
      expect((await reopened.retrieve()).total).toBe(1);
    },
  );

  it.each(FLUSHES)(
    "is erased with flushes %s even if it had expired, and during stores and forgets",
    async (_, flushes) => {
      const [directory, clock] = [await fixture.directory(), new TestClock(T0)];
      const { store, forget, retrieve } = await open(directory, clock, flushes);
      await store([{ key: "e", content: "3xpired", ttl: 1 }, ...secret]);
      await forget({ keys: ["a"] });
      for (let second = 1; second < WITHIN_S; second += 3) {
        clock.advance(3);
        await store([{ key: `k${second}`, content: second }, { key: "other" }], { id: `s${second}` });
        await forget({ keys: ["other"] });
        await plugin!.maintain!();
      }
      expect(await filesWith(directory, "s3cret")).toEqual([]);
      expect(await filesWith(directory, "3xpired")).toEqual([]);
      expect((await retrieve()).total).toBe(1 + 33);
      expect(await store([{ key: "k1", content: 1 }, { key: "other" }], { id: "s1" })).toMatchObject({
        receipts: [{ outcome: "created" }, { outcome: "created" }],
      });
    },
  );

  it("is erased immediately if it is not in the log any more", async () => {
    const [directory, clock] = [await fixture.directory(), new TestClock(T0)];
    const { store, forget } = await open(directory, clock);
    await store(secret);
    await forget({ keys: ["kept"] });
    await plugin!.maintain!();
    clock.advance(3_600);
    await plugin!.maintain!();
    await forget({ keys: ["a"] }, { id: "f" });
    await plugin!.maintain!();
    expect(await filesWith(directory, "s3cret")).toEqual([]);
    expect(await erasureOf("f")).toMatchObject({ purge: "done" });
  });

  it("is erased at the same time if the process ended in between", async () => {
    const [directory, clock] = [await fixture.directory(), new TestClock(T0)];
    const { store, forget } = await open(directory, clock);
    await store(secret, { id: "s" });
    await forget({ keys: ["a"] }, { id: "f" });
    for (let restart = 0; restart < 9; restart++) {
      clock.advance(WITHIN_S / 10);
      await open(directory, clock);
      await plugin!.maintain!();
    }
    expect(await filesWith(directory, "s3cret")).toEqual([]);
    expect(await erasureOf("f")).toMatchObject({ purge: "done" });
  });
});

describe("the erasure of a forget", () => {
  it("is reported only for forgets, and done for one with purge or without matches", async () => {
    const [directory, clock] = [await fixture.directory(), new TestClock(T0)];
    const { store, forget } = await open(directory, clock);
    await store(secret, { id: "s" });
    await forget({ keys: ["a"] }, { id: "purged", purge: true });
    await forget({ keys: ["a"] }, { id: "nothing" });
    for (const _ of [1, 2]) {
      expect(await erasureOf("purged")).toEqual({ purge: "done", purged_at: T0 });
      expect(await erasureOf("nothing")).toEqual({ purge: "done", purged_at: T0 });
      for (const other of [erasureOf("s"), erasureOf("unknown"), erasureOf("purged", "bob")]) {
        expect(await other).toBeUndefined();
      }
      await open(directory, clock);
    }
  });

  it("is not done, without a known time, while copies of a repair may contain the entry", async () => {
    const [directory, clock] = [await fixture.directory(), new TestClock(T0)];
    const { store, forget } = await open(directory, clock);
    await store(secret);
    await writeFile(join(directory, "log", "0000000000000001.log.corrupt-1"), "s3cret");
    await forget({ keys: ["a"] }, { id: "f" });
    clock.advance(WITHIN_S);
    await plugin!.maintain!();
    expect(await filesWith(directory, "s3cret")).toEqual(["log/0000000000000001.log.corrupt-1"]);
    expect(await erasureOf("f")).toEqual({ purge: "scheduled", purge_reason: "files_set_aside" });
    await forget({ keys: ["a"] }, { purge: true });
    expect(await erasureOf("f")).toMatchObject({ purge: "done" });
  });
});
