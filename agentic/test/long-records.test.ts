import type { EntryInput, MemoryClient } from "@membus/agent-client";
import { keyHash } from "@membus/protocol";
import { describe, expect, it, vi } from "vitest";
import { LongRecords } from "../src/long-records/index.js";
import { latch } from "./learner-fixture.js";
import { openMemory } from "./memory-fixture.js";

/** 3 parts each. */
const FIRST: EntryInput = { key: { id: "k" }, content: { text: "a".repeat(400_000) }, tier: "episodic" };
const SHORT: EntryInput = { ...FIRST, content: { text: "short" }, metadata: {} };

/** Runs one step after each store, including the stores of the steps. */
function afterStores(memory: MemoryClient, ...steps: readonly (() => Promise<unknown>)[]): void {
  const [store, left] = [memory.store.bind(memory), [...steps]];
  vi.spyOn(memory, "store").mockImplementation(async (...given) => {
    const result = await store(...given);
    await left.shift()?.();
    return result;
  });
}

/** Runs one step before each of the first stores of a head. */
function beforeHeads(memory: MemoryClient, ...steps: readonly (() => Promise<unknown>)[]): void {
  const [store, left] = [memory.store.bind(memory), [...steps]];
  vi.spyOn(memory, "store").mockImplementation(async (...given) => {
    const isHead = [given[0]].flat().some((entry) => (entry as EntryInput).metadata?.parts !== undefined);
    if (isHead) await left.shift()?.();
    return store(...given);
  });
}

const nothing = async () => undefined;
const total = async (memory: MemoryClient) => (await memory.retrieve({ limit: 0 })).total;

const NO_PART = { not: { field: "metadata.kind", op: "eq", value: "part" } } as const;

async function contents(records: LongRecords): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { content } of records.entries({ where: NO_PART })) found.push(content);
  return found;
}

describe("parts of a record that is stored concurrently", () => {
  async function storedTwice() {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    afterStores(memory, () => records.store([FIRST]));
    expect((await records.store([FIRST])).errors).toEqual([]);
    expect(await total(memory)).toBe(4);
    return { memory, records };
  }

  it("are deleted when it is replaced", async () => {
    const { memory, records } = await storedTwice();
    await records.store([SHORT], { replacing: true });
    expect(await total(memory)).toBe(1);
  });

  it("are deleted when it is forgotten", async () => {
    const { memory, records } = await storedTwice();
    expect(await records.forget({ keys: [FIRST.key] })).toBe(1);
    expect(await total(memory)).toBe(0);
  });

  it("stay if a third writer replaces it and the later one is stored again", async () => {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    const [isReplaced, isStored] = [latch<void>(), latch<void>()];
    const replacing: Promise<unknown>[] = [];
    const storeAndReplace = async () => {
      await records.store([FIRST]);
      replacing.push(records.store([SHORT], { replacing: true }));
      await isReplaced.promise;
    };
    const wait = async () => {
      isReplaced.resolve();
      await isStored.promise;
    };
    afterStores(memory, storeAndReplace, nothing, nothing, wait);
    await records.store([FIRST]);
    isStored.resolve();
    await Promise.all(replacing);
    expect(await contents(records)).toEqual([FIRST.content]);
  });
});

describe("parts of a record", () => {
  it.each([
    ["forgets", (records: LongRecords) => records.forget({ keys: [FIRST.key] }), 3],
    ["replaces", (records: LongRecords) => records.store([SHORT], { replacing: true }), 1],
  ])(
    "stay if their head is replaced by a write that %s the same parts while those are about to be forgotten",
    async (_, go, nth) => {
      const { memory } = await openMemory();
      const records = new LongRecords(memory, "episodic");
      await records.store([FIRST]);
      const [isAbout, isStored] = [latch<void>(), latch<void>()];
      const forget = memory.forget.bind(memory);
      let forgets = 0;
      vi.spyOn(memory, "forget").mockImplementation(async (...given) => {
        if (++forgets === nth) {
          isAbout.resolve();
          await isStored.promise;
        }
        return forget(...given);
      });
      const going: Promise<unknown>[] = [];
      beforeHeads(memory, async () => {
        going.push(go(records));
        await isAbout.promise;
      });
      expect((await records.store([FIRST])).errors).toEqual([]);
      isStored.resolve();
      await Promise.all(going);
      expect(await contents(records)).toEqual([FIRST.content]);
      expect(await total(memory)).toBe(4);
    },
  );

  it("are sent once if the same record is stored again", async () => {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    const revisions = async () =>
      (await memory.retrieve({ limit: 10 })).entries.map(({ revision }) => revision);
    await records.store([FIRST]);
    const before = await revisions();
    expect((await records.store([FIRST])).receipts).toMatchObject([{ outcome: "unchanged" }]);
    expect(await revisions()).toEqual(before);
  });

  it("do not come back if the record is forgotten between the store of its head and the check of its parts", async () => {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    afterStores(memory, nothing, () => memory.forget({ keys: [FIRST.key], cascade: true }));
    expect((await records.store([FIRST])).errors).toEqual([]);
    expect(await total(memory)).toBe(0);
  });

  it("do not come back if the record is replaced at that moment", async () => {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    afterStores(memory, nothing, () => records.store([SHORT], { replacing: true }));
    expect((await records.store([FIRST])).errors).toEqual([]);
    expect(await contents(records)).toEqual([SHORT.content]);
    expect(await total(memory)).toBe(1);
  });

  it("are stored again if they are forgotten before the head exists", async () => {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    afterStores(memory, () => memory.forget({ tier: "episodic", all: true }));
    expect((await records.store([FIRST])).errors).toEqual([]);
    expect(await contents(records)).toEqual([FIRST.content]);
    expect(await total(memory)).toBe(4);
  });

  it("are sent once even if other writers replace the record repeatedly", async () => {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    const takePlace = (n: number) => () => memory.store({ ...SHORT, content: { text: `short ${n}` } });
    beforeHeads(memory, takePlace(1), takePlace(2), takePlace(3));
    expect((await records.store([FIRST])).receipts).toMatchObject([{ index: 0, outcome: "updated" }]);
    const sent = vi.mocked(memory.store).mock.calls.flatMap(([entries]) => entries as readonly EntryInput[]);
    expect(sent.filter(({ metadata }) => metadata?.kind === "part")).toHaveLength(3);
    expect(await contents(records)).toEqual([FIRST.content]);
    expect(await total(memory)).toBe(4);
  });

  it.each([
    ["are deleted if their head is rejected", "memory_full", 0],
    ["stay if their head may still be stored", "timeout", 3],
  ])("%s", async (_, code, left) => {
    const { memory } = await openMemory();
    const store = memory.store.bind(memory);
    vi.spyOn(memory, "store").mockImplementation(async (...given) => {
      const [entry] = [given[0]].flat() as EntryInput[];
      if (entry!.metadata?.parts === undefined) return store(...given);
      const error = { index: 0, key_hash: keyHash(entry!.key), code, message: "no" } as const;
      return { stored: [], receipts: [], errors: [error as never], requestIds: [] };
    });
    const { errors } = await new LongRecords(memory, "episodic").store([FIRST]);
    expect(errors).toMatchObject([{ index: 0, code }]);
    expect(await total(memory)).toBe(left);
  });

  it("have the group and the time of their head, also if those were kept from the old head", async () => {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    const place = { group: "g", occurred_at: 1_000 };
    await records.store([{ ...FIRST, ...place, metadata: { a: 1 } }]);
    for (const content of [{ text: "b".repeat(400_000) }, FIRST.content]) {
      await records.store([{ ...FIRST, content }]);
      const within = { group: "g", until: 1_001, limit: 0 };
      expect((await memory.retrieve(within)).total).toBe(4);
    }
    await records.store([{ ...FIRST, occurred_at: 2_000 }]);
    expect((await memory.retrieve({ group: "g", since: 1_999, limit: 0 })).total).toBe(4);
    const { metadata: _, ...short } = SHORT;
    await records.store([short], { replacing: true });
    const [entry] = (await memory.retrieve({})).entries;
    expect(entry).toMatchObject({ content: SHORT.content, metadata: { a: 1 } });
    expect(entry!.metadata).not.toHaveProperty("parts");
  });
});

describe("a forgotten record", () => {
  it.each([
    ["before", 1],
    ["after", 2],
  ])("is deleted with all its parts, also if it becomes another %s it was looked up", async (_, nth) => {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    await records.store([{ ...FIRST, content: { text: "b".repeat(400_000) } }]);
    const forget = memory.forget.bind(memory);
    let forgets = 0;
    vi.spyOn(memory, "forget").mockImplementation(async (...given) => {
      if (++forgets === nth) await records.store([FIRST]);
      return forget(...given);
    });
    expect(await records.forget({ since: 0 })).toBe(1);
    expect(await total(memory)).toBe(0);
  });
});
