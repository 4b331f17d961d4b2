import { crc32 } from "node:zlib";
import type { RowColumns } from "@membus/plugin-kit";
import { scopeId } from "@membus/protocol";
import { afterEach, expect, it } from "vitest";
import { FOLDER_TURNS } from "../src/store/turns.js";
import { episodic, makeRow, StorageFixture, scoped } from "./storage-fixture.js";

const fixture = new StorageFixture();
afterEach(() => fixture.end());

const scope = episodic("acme");

it.each([
  ["no row", 0, 1],
  ["rows of one append", 10, 1],
  ["rows of several appends", 30, 3],
  ["more rows than a batch", 9_000, 2],
])("%s: the number of rows is known before the first one", async (_, count, appends) => {
  const storage = await fixture.open(await fixture.directory());
  await storage.append(scoped(episodic("acme", "bob"), makeRow(count)));
  for (let append = 0; append < appends; append++) {
    const ids = Array.from({ length: count / appends }, (_, n) => (append * count) / appends + n);
    await storage.append(scoped(scope, ...ids.map((id) => makeRow(id))));
  }
  const seen: number[] = [];
  await storage.load(scopeId(scope), {
    reserve: (reserved) => seen.push(reserved) > 0,
    take: ({ count: taken }) => void seen.push(taken),
  });
  const [reserved, ...taken] = seen;
  expect(reserved).toBe(count);
  expect(taken.reduce((sum, one) => sum + one, 0)).toBe(count);
});

it("no vectors are read of a large scope that needs none", async () => {
  const storage = await fixture.open(await fixture.directory());
  await storage.append(scoped(scope, ...Array.from({ length: 9_000 }, (_, id) => makeRow(id))));
  const lengths = async (needsVectors: boolean) => {
    const read: number[] = [];
    const take = ({ vectors }: RowColumns) => void read.push(vectors.length);
    await storage.load(scopeId(scope), { reserve: () => needsVectors, take });
    return new Set(read);
  };
  expect(await lengths(false)).toEqual(new Set([0]));
  expect(await lengths(true)).not.toContain(0);
});

/** Returns a vector with the checksum of a row without one. CRC-32 is linear, so its last component can be solved for. */
function vectorWithSum(embedder: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  const bytes = new DataView(vector.buffer);
  const last = vector.byteLength - 4;
  const sumOf = (bits: number) => {
    bytes.setUint32(last, bits);
    return crc32(new Uint8Array(vector.buffer), crc32(embedder));
  };
  const none = sumOf(0);
  // The highest bit of each step is cleared in the others, so that one step per bit finds the bits.
  const steps: { effect: number; bits: number }[] = [];
  const reduced = (effect: number, bits: number) =>
    steps.reduce(
      (rest, step) => {
        const hasHighest = (rest.effect >>> (31 - Math.clz32(step.effect))) & 1;
        return hasHighest === 1 ? { effect: rest.effect ^ step.effect, bits: rest.bits ^ step.bits } : rest;
      },
      { effect, bits },
    );
  for (let bit = 0; bit < 32; bit++) {
    const step = reduced(sumOf((1 << bit) >>> 0) ^ none, 1 << bit);
    if (step.effect !== 0) steps.push(step);
  }
  expect(sumOf(reduced(none ^ crc32(embedder), 0).bits >>> 0)).toBe(crc32(embedder));
  return vector;
}

it("a vector with the checksum of a row without one is there", async () => {
  const storage = await fixture.open(await fixture.directory());
  const { embedder, vector } = makeRow(0);
  const special = { ...makeRow(5), vector: vectorWithSum(embedder, vector!.length) };
  const bare = { ...makeRow(6), vector: null };
  const others = Array.from({ length: 9_000 }, (_, id) => makeRow(id + 7));
  await storage.append(scoped(scope, special, bare, ...others));
  const missing: number[] = [];
  await storage.load(scopeId(scope), {
    reserve: () => false,
    take({ count, numbers, hasVector }) {
      for (let row = 0; row < count; row++) if (!hasVector(row)) missing.push(numbers.rowId[row]!);
    },
  });
  expect(missing).toEqual([6]);
  const found = await storage.vectors!.read(scopeId(scope), [5, 6]);
  expect(found).toEqual(new Map([[5, special.vector]]));
});

it("at most eight scopes are read at a time, and bodies do not wait for them", async () => {
  const storage = await fixture.open(await fixture.directory());
  await storage.append(scoped(scope, makeRow(1)));
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const others = Array.from({ length: 8 }, () => FOLDER_TURNS.rows(() => ended));
  const taken: number[] = [];
  const loading = storage.load(scopeId(scope), {
    reserve: () => true,
    take: ({ count }) => void taken.push(count),
  });
  await expect.poll(() => FOLDER_TURNS.rows.pendingCount).toBe(1);
  expect((await storage.readBodies(scopeId(scope), [1])).size).toBe(1);
  expect(taken).toEqual([]);
  end();
  await Promise.all([loading, ...others]);
  expect(taken).toEqual([1]);
});
