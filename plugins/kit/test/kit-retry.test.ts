import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { KIT_DEFAULTS } from "../src/kit-options.js";
import { partitionRowsMaxOf } from "../src/search/partition/vectors.js";
import { calls } from "./kit-calls.js";
import { openMemoryKit, settled, TestKit } from "./kit-fixture.js";
import { MemoryStorage } from "./memory-storage.js";

const BATCH = [
  { key: "a", content: 1 },
  { key: "b", content: 2, if_revision: 5 },
];

/** Holds the first erasure of a tenant, and counts all. */
function heldErasures(kit: TestKit) {
  const rotate = kit.log.rotate.bind(kit.log);
  let release: (() => void) | undefined;
  kit.log.rotate = async () => {
    if (release === undefined)
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    return rotate();
  };
  return {
    begun: () => expect.poll(() => release).toBeDefined(),
    release: () => release!(),
    get count() {
      return kit.storage.maintained.filter((options) => "tenant" in options).length;
    },
  };
}

describe("a repeated operation of a durable tier", () => {
  it("gets its first reply, receipts and errors, also after a restart and a crash", async () => {
    const kit = await TestKit.open();
    const { store, forget } = calls(kit);
    const first = await store(BATCH, { id: "one" });
    expect(first.receipts).toMatchObject([{ index: 0, outcome: "created" }]);
    expect(first.errors).toMatchObject([{ index: 1, error: { code: "conflict", detail: { revision: 0 } } }]);
    await store([{ key: "a", content: "later" }, { key: "b" }]);
    for (const again of [async () => undefined, () => kit.reopen(), () => kit.crash()]) {
      await again();
      expect(await store(BATCH, { id: "one" })).toEqual(first);
    }
    const deleted = await forget({ keys: ["a"] }, { id: "two" });
    expect(deleted).toMatchObject({ deleted: 1, purge: "scheduled" });
    await store([{ key: "a" }]);
    await kit.crash();
    expect(await forget({ keys: ["a"] }, { id: "two" })).toEqual(deleted);
    expect((await calls(kit).retrieve()).total).toBe(2);
  });

  it("gets its first reply while an erasure moves it to another record", async () => {
    const kit = await TestKit.open();
    const { store, forget } = calls(kit);
    const first = await store(BATCH, { id: "one" });
    const read = kit.log.read.bind(kit.log);
    const held: (() => void)[] = [];
    kit.log.read = async (seq) => {
      if (held.length === 0) await new Promise<void>((resolve) => held.push(resolve));
      return read(seq);
    };
    const again = store(BATCH, { id: "one" });
    await expect.poll(() => held).toHaveLength(1);
    await forget({ keys: ["a"] }, { purge: true });
    held[0]!();
    expect(await again).toEqual(first);
  });

  it("is complete or not begun after a crash, if it forgets in one namespace", async () => {
    const kit = await TestKit.open();
    const { store, forget } = calls(kit);
    await store([{ key: "a" }, { key: "b" }]);
    const { nextSeq } = kit.log.stats;
    expect(await forget({})).toMatchObject({ deleted: 2 });
    expect(kit.log.stats.nextSeq).toBe(nextSeq + 1);
  });

  it("has its reply after all records of more than 2,000 entries", async () => {
    const kit = await TestKit.open();
    const { store, forget } = calls(kit);
    for (const part of ["a", "b", "c"])
      await store(Array.from({ length: 700 }, (_, index) => ({ key: `${part}${index}` })));
    const { nextSeq } = kit.log.stats;
    expect(await forget({})).toMatchObject({ deleted: 2_100 });
    expect(kit.log.stats.nextSeq).toBe(nextSeq + 3);
  });

  it("erases once for all attempts of a purge, and again only after a restart", async () => {
    const kit = await TestKit.open();
    const { store, forget } = calls(kit);
    await store([{ key: "a" }]);
    const erasures = heldErasures(kit);
    const purge = () => forget({ keys: ["a"] }, { id: "f", purge: true });
    const attempts = [purge(), purge()];
    await erasures.begun();
    attempts.push(purge());
    erasures.release();
    const purged = { deleted: 1, purge: "done" };
    expect(await Promise.all(attempts)).toMatchObject([purged, purged, purged]);
    expect(erasures.count).toBe(1);
    await forget({ keys: ["b"] }, { id: "g", purge: true });
    expect(await purge()).toMatchObject(purged);
    expect(erasures.count).toBe(2);
    await kit.reopen();
    const again = await calls(kit).forget({ keys: ["a"] }, { id: "f", purge: true });
    expect(again).toMatchObject(purged);
    expect(erasures.count).toBe(3);
  });

  it("shares one erasure with all purges of the tenant that wait for another erasure", async () => {
    const kit = await TestKit.open();
    const { store, forget, retrieve } = calls(kit);
    await store(["a", "b", "c"].map((key) => ({ key })));
    const erasures = heldErasures(kit);
    const first = forget({ keys: ["a"] }, { purge: true });
    await erasures.begun();
    const others = ["b", "c"].map((key) => forget({ keys: [key] }, { purge: true }));
    await expect.poll(async () => (await retrieve()).total).toBe(0);
    await settled();
    erasures.release();
    const purged = { deleted: 1, purge: "done" };
    expect(await Promise.all([first, ...others])).toMatchObject([purged, purged, purged]);
    expect(erasures.count).toBe(2);
  });

  it("is independent for another agent, and a conflict with another body, also after a restart", async () => {
    const kit = await TestKit.open({ tier: "semantic" });
    const semantic = { tier: "semantic" } as const;
    await calls(kit, semantic).store([{ key: "a", content: 1 }], { id: "one" });
    const bob = calls(kit, { ...semantic, agent: "bob" });
    expect((await bob.store([{ key: "a", content: 2 }], { id: "one" })).receipts[0]!.outcome).toBe("updated");
    await kit.reopen();
    await expect(bob.store([{ key: "a", content: 3 }], { id: "one" })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("is refused if its large record is damaged in the log, maintenance reports it, and nothing else is lost", async () => {
    const kit = await TestKit.open();
    const { store, retrieve } = calls(kit);
    await store([{ key: "a", content: "x".repeat(100_000) }], { id: "one" });
    // Everything is flushed at the end of a run, because maintenance would reduce the record to its reply.
    await kit.reopen();
    await kit.log.rotate();
    await store([{ key: "b" }], { id: "two" });
    await kit.flush();
    await kit.crash();
    const [oldest] = (await readdir(join(kit.directory, "log"))).sort();
    const path = join(kit.directory, "log", oldest!);
    const bytes = await readFile(path);
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(path, bytes);
    await kit.crash();
    const damage = {
      code: "runtime_error",
      detail: { reason: "log_corrupt", file: expect.any(String), seq: 1 },
    };
    await expect(store([{ key: "a", content: "x".repeat(100_000) }], { id: "one" })).rejects.toMatchObject(
      damage,
    );
    await expect(kit.plugin.maintain()).rejects.toMatchObject(damage);
    await kit.plugin.maintain();
    expect((await store([{ key: "b" }], { id: "two" })).receipts[0]!.outcome).toBe("created");
    expect((await retrieve()).total).toBe(2);
  });

  it("is remembered for the time window, and its log record as long", async () => {
    const kit = await TestKit.open({ options: { operationWindowS: 60 }, log: { segmentBytes: 4096 } });
    const { store } = calls(kit);
    const first = await store(BATCH, { id: "one" });
    for (let at = 0; at < 20; at++) await store([{ key: `k${at}`, content: "x".repeat(500) }]);
    await kit.plugin.maintain();
    kit.clock.advance(59);
    await kit.plugin.maintain();
    expect(await store(BATCH, { id: "one" })).toEqual(first);
    const before = Number(kit.plugin.stats().log_bytes);
    kit.clock.advance(2);
    await kit.plugin.maintain();
    expect(Number(kit.plugin.stats().log_bytes)).toBeLessThan(before / 2);
    expect((await store(BATCH, { id: "one" })).receipts[0]!.outcome).toBe("unchanged");
  });
});

describe("a repeated operation of a tier in memory", () => {
  it("gets its first reply, and queued is reported as stored", async () => {
    const memory = await openMemoryKit();
    const { store, forget } = calls(memory, { tier: "working" });
    const first = await store(BATCH, { id: "one", ack: "queued" });
    expect(first.receipts[0]!.outcome).toBe("created");
    await store([{ key: "a", content: "later" }]);
    expect(await store(BATCH, { id: "one", ack: "queued" })).toEqual(first);
    expect(await memory.plugin.onStatus({ tenant: "acme", agent: "alice", id: "one" })).toMatchObject({
      ...first,
      done: true,
    });
    const deleted = await forget({}, { id: "two" });
    expect(deleted).toMatchObject({ deleted: 1, purge: "done" });
    await store([{ key: "a" }]);
    expect(await forget({}, { id: "two" })).toEqual(deleted);
  });
});

describe("the revisions of a durable tier", () => {
  it("grow when the clock is set back, also of a key that was forgotten", async () => {
    const kit = await TestKit.open();
    const { store, forget } = calls(kit);
    const { receipts } = await store(Array.from({ length: 50 }, (_, at) => ({ key: `k${at}` })));
    const highest = receipts.at(-1)!.revision;
    await forget({});
    await kit.flush();
    kit.clock.advance(-100_000);
    await kit.reopen();
    const again = await store([{ key: "k49" }]);
    expect(again.receipts[0]!.revision).toBeGreaterThan(highest);
  });

  it("grow when the clock is set back while a partition is unloaded, in memory too", async () => {
    for (const kit of [
      await TestKit.open({ options: { residentBytesMax: 2 ** 20 } }),
      await openMemoryKit(),
    ]) {
      const { store, forget } = calls(kit);
      const { receipts } = await store([{ key: "k" }]);
      kit.clock.advance(1);
      await forget({});
      // Large enough to unload the other partition.
      await store([{ key: "large", metadata: { text: "x".repeat(2 ** 20) } }], { namespace: "other" });
      kit.clock.advance(-100_000);
      const again = await store([{ key: "k" }]);
      expect(again.receipts[0]!.revision).toBeGreaterThan(receipts[0]!.revision);
    }
  });

  it("does not reuse sequence numbers if the log is missing", async () => {
    const kit = await TestKit.open();
    await calls(kit).store([{ key: "k" }]);
    await kit.plugin.close();
    await rm(join(kit.directory, "log"), { recursive: true });
    const opened = await TestKit.open({ directory: kit.directory, storage: kit.storage });
    expect((await calls(opened).retrieve()).total).toBe(1);
    await calls(opened).store([{ key: "next" }]);
    expect(opened.plugin.stats()).toMatchObject({ log_next_seq: 3 });
    expect(opened.logger.reports).toMatchObject([
      { level: "warn", message: "the end of the log is missing" },
    ]);
  });
});

describe("a full partition", () => {
  it("refuses only new keys, exactly at its limit, also from concurrent stores", async () => {
    const kit = await TestKit.open({ options: { partitionRowsMax: 10 } });
    const { store, retrieve, forget } = calls(kit);
    const replies = await Promise.all(Array.from({ length: 30 }, (_, at) => store([{ key: `k${at}` }])));
    const errors = replies.flatMap((reply) => reply.errors.map(({ error }) => error));
    expect(errors).toHaveLength(20);
    expect(errors[0]).toMatchObject({ code: "memory_full", detail: { limit: "partitionRows", max: 10 } });
    expect((await retrieve({ limit: 0 })).total).toBe(10);
    const mixed = await store([{ key: "k0", content: "new" }, { key: "k1", content: "new" }, { key: "k99" }]);
    expect([mixed.receipts.length, mixed.errors.length]).toEqual([2, 1]);
    const [forgotten, stored] = await Promise.all([forget({ keys: ["k5"] }), store([{ key: "k98" }])]);
    expect([forgotten.deleted, stored.receipts.length + stored.errors.length]).toEqual([1, 1]);
    expect((await retrieve({ limit: 0 })).total).toBeLessThanOrEqual(10);
  });

  it("accepts fewer entries with longer vectors, unless its storage is searched", async () => {
    const options = { partitionVectorBytesMax: 64 * 1024 };
    const kit = await TestKit.open({
      options,
      storage: Object.assign(new MemoryStorage(8), { vectors: undefined }),
    });
    const max = 1_365;
    const { store } = calls(kit);
    const entries = Array.from({ length: max + 1 }, (_, at) => ({ key: `k${at}` }));
    const { receipts, errors } = await store(entries);
    expect(receipts).toHaveLength(max);
    expect((await calls(await TestKit.open({ options })).store(entries)).errors).toEqual([]);
    expect(errors[0]?.error).toMatchObject({ code: "memory_full", detail: { limit: "partitionRows", max } });
    const wordsAlone = { partitionRowsMax: 5_000, partitionVectorBytesMax: 64 * 1024 };
    expect(partitionRowsMaxOf(wordsAlone, undefined)).toBe(5_000);
    expect(partitionRowsMaxOf(KIT_DEFAULTS, { dimensions: 384 })).toBe(2_000_000);
    expect(partitionRowsMaxOf(KIT_DEFAULTS, { dimensions: 4_096 })).toBeLessThan(210_000);
  });

  it("refuses additional bytes above its limit", async () => {
    const kit = await TestKit.open({ options: { partitionBytesMax: 1024 * 1024 } });
    const { store, forget } = calls(kit);
    const note = (length: number) => ({ metadata: { note: "n".repeat(length) } });
    const stored = async (key: string, length: number) => {
      const { receipts, errors } = await store([{ key, ...note(length) }]);
      return receipts[0]?.outcome ?? errors[0]?.error;
    };
    let count = 0;
    while ((await stored(`k${count}`, 4_096)) === "created") count++;
    expect([count > 200, count < 256]).toEqual([true, true]);
    const full = { code: "memory_full", detail: { limit: "partitionBytes", max: 1024 * 1024 } };
    expect([await stored("new", 1), await stored("k0", 4_097)]).toMatchObject([full, full]);
    expect([await stored("k0", 4_095), await stored("k1", 4)]).toEqual(["updated", "updated"]);
    expect((await forget({ keys: ["k2", "k3", "k4", "k5", "k6", "k7"] })).deleted).toBe(6);
    expect(await stored("new", 4_096)).toBe("created");
  });
});
