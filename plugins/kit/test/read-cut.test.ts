import { positionOf } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { changedStorage } from "./changed-storage.js";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";
import { names } from "./steering-fixture.js";

/** Contents of 1 kB each, later ones newer. */
const TURNS = Array.from({ length: 10 }, (_, at) => ({
  key: `turn ${at}`,
  content: "x".repeat(1_000),
  group: "talk",
  occurred_at: 1_000 + at,
}));
const NEWEST_FIRST = TURNS.map(({ key }) => key).reverse();

/**
 * Returns a kit with entries that are only in storage, and the reads. `beforeRead` runs when a read starts.
 */
async function storedTurns(beforeRead: () => Promise<unknown> = async () => {}) {
  const reads: number[] = [];
  const kit = await TestKit.open({
    // Too small to read ahead.
    options: { bodyCacheBytes: 64 * 1024 },
    wrapStorage: (storage) =>
      changedStorage(storage, {
        async readBodies(scope, rowIds) {
          await beforeRead();
          reads.push(rowIds.length);
          return storage.readBodies(scope, rowIds);
        },
      }),
  });
  await calls(kit).store(TURNS);
  await kit.flush();
  await kit.reopen();
  return { kit, reads, ...calls(kit) };
}

describe("a page with more than max_bytes (clause PLUG-18)", () => {
  it("ends after the entry that exceeds the limit, after one or two reads, and continues from there", async () => {
    const { retrieve, reads } = await storedTurns();
    const first = await retrieve({ max_bytes: 3_500, order: "newest" });
    expect(first).toMatchObject({ cut: true, total: 10 });
    expect(names(first.entries)).toEqual(NEWEST_FIRST.slice(0, 4));
    expect(reads).toEqual([3, 1]);
    const after = positionOf(first.entries[3]!, "newest");
    const rest = await retrieve({ max_bytes: 8_000, order: "newest", after });
    expect(names(rest.entries)).toEqual(NEWEST_FIRST.slice(4));
    expect(rest.cut).toBeUndefined();
  });

  it("does not count contexts that are not returned", async () => {
    const kit = await TestKit.open();
    const { store, retrieve } = calls(kit);
    const context = 'line "one"\n'.repeat(300);
    await store(TURNS.map(({ key }) => ({ key, content: "short", context })));
    expect((await retrieve({ max_bytes: 4_000 })).entries).toHaveLength(10);
    expect((await retrieve({ max_bytes: 4_000, include: ["context"] })).entries).toHaveLength(1);
  });

  it("has at least one entry, and counts neighbours", async () => {
    const { retrieve } = await storedTurns();
    const smallest = await retrieve({ max_bytes: 1 });
    expect(names(smallest.entries)).toEqual(["turn 9"]);
    expect(smallest.cut).toBe(true);
    const expanded = await retrieve({ max_bytes: 3_500, expand: { before: 1, after: 0 } });
    expect(names(expanded.entries)).toEqual(["turn 9", "turn 8"]);
  });
});

it("A neighbour that is updated during the read is returned in its new version (clause RET-29)", async () => {
  let isUpdated = false;
  const { kit, retrieve, store } = await storedTurns(async () => {
    if (isUpdated) return;
    isUpdated = true;
    await store([{ ...TURNS[8]!, content: "said again" }]);
  });
  const { entries } = await retrieve({ criteria: { keys: ["turn 9"] }, expand: { before: 1, after: 0 } });
  expect(entries[0]!.neighbours!.before.map(({ content }) => content)).toEqual(["said again"]);
  expect(kit.logger.reports).toEqual([]);
});
