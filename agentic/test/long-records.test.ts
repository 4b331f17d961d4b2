import type { EntryInput, MemoryClient } from "@membus/agent-client";
import { describe, expect, it, vi } from "vitest";
import { LongRecords } from "../src/long-records/index.js";
import { latch } from "./learner-fixture.js";
import { openMemory } from "./memory-fixture.js";

/** 3 parts each. */
const FIRST: EntryInput = { key: { id: "k" }, content: { text: "a".repeat(400_000) }, tier: "episodic" };
const SHORT: EntryInput = { ...FIRST, content: { text: "short" }, metadata: {} };

/** A step after each store, those of the steps themselves included. */
function afterStores(memory: MemoryClient, ...steps: readonly (() => Promise<unknown>)[]): void {
  const [store, left] = [memory.store.bind(memory), [...steps]];
  vi.spyOn(memory, "store").mockImplementation(async (...given) => {
    const result = await store(...given);
    await left.shift()?.();
    return result;
  });
}

/** A step before the first store of a head. */
function beforeHead(memory: MemoryClient, step: () => Promise<unknown>): void {
  const store = memory.store.bind(memory);
  let isDone = false;
  vi.spyOn(memory, "store").mockImplementation(async (...given) => {
    const isHead = [given[0]].flat().some((entry) => (entry as EntryInput).metadata?.parts !== undefined);
    if (isHead && !isDone) {
      isDone = true;
      await step();
    }
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

describe("parts of a record that two store at once", () => {
  async function storedTwice() {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    afterStores(memory, () => records.store([FIRST]));
    expect((await records.store([FIRST])).errors).toEqual([]);
    expect(await total(memory)).toBe(4);
    return { memory, records };
  }

  it("go when it is replaced", async () => {
    const { memory, records } = await storedTwice();
    await records.store([SHORT], { replacing: true });
    expect(await total(memory)).toBe(1);
  });

  it("go when it is forgotten", async () => {
    const { memory, records } = await storedTwice();
    expect(await records.forget({ keys: [FIRST.key] })).toBe(1);
    expect(await total(memory)).toBe(0);
  });

  it("stay where a third replaces it, but the later of the two is there again", async () => {
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
    ["forgets", (records: LongRecords) => records.forget({ keys: [FIRST.key] }), 2],
    ["replaces", (records: LongRecords) => records.store([SHORT], { replacing: true }), 1],
  ])(
    "stay where their head comes as another, which %s the same, is about to forget its",
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
      beforeHead(memory, async () => {
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

  it("are sent once where the same is stored again", async () => {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    const revisions = async () =>
      (await memory.retrieve({ limit: 10 })).entries.map(({ revision }) => revision);
    await records.store([FIRST]);
    const before = await revisions();
    expect((await records.store([FIRST])).receipts).toMatchObject([{ outcome: "unchanged" }]);
    expect(await revisions()).toEqual(before);
  });

  it("do not come back where another forgets it between its head and the look at them", async () => {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    afterStores(memory, nothing, () => memory.forget({ keys: [FIRST.key], cascade: true }));
    expect((await records.store([FIRST])).errors).toEqual([]);
    expect(await total(memory)).toBe(0);
  });

  it("do not come back where another replaces it then", async () => {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    afterStores(memory, nothing, () => records.store([SHORT], { replacing: true }));
    expect((await records.store([FIRST])).errors).toEqual([]);
    expect(await contents(records)).toEqual([SHORT.content]);
    expect(await total(memory)).toBe(1);
  });

  it("are stored again where another forgets them before there is a head", async () => {
    const { memory } = await openMemory();
    const records = new LongRecords(memory, "episodic");
    afterStores(memory, () => memory.forget({ tier: "episodic", all: true }));
    expect((await records.store([FIRST])).errors).toEqual([]);
    expect(await contents(records)).toEqual([FIRST.content]);
    expect(await total(memory)).toBe(4);
  });
});
