import { describe, expect, it } from "vitest";
import { UnindexedTerms } from "../src/search/partition/unindexed-terms.js";

const ROWS = 1_000;
/** Large enough for separate memory pages. */
const NUMBERS_A_ROW = 100;

/** Returns the bytes of a batch with numbers from `first` on, and its row offsets. */
function batch(first: number): [Uint8Array, Uint32Array] {
  const numbers = Uint32Array.from({ length: ROWS * NUMBERS_A_ROW }, (_, index) => first + index);
  const offsets = Uint32Array.from({ length: ROWS + 1 }, (_, row) => row * NUMBERS_A_ROW);
  return [new Uint8Array(numbers.buffer), offsets];
}

describe("unindexed terms", () => {
  it("release their memory batch by batch, once no slot of a batch is unindexed", () => {
    const waiting = new UnindexedTerms(0);
    waiting.pushAll(...batch(0));
    waiting.pushAll(...batch(1_000_000));
    const of = (slot: number) => waiting.get(slot)!;
    const [first, second] = [of(0).values, of(ROWS).values];
    const slots = Array.from({ length: ROWS }, (_, slot) => of(slot));
    waiting.dropBelow(ROWS - 1, slots.slice(0, -1));
    expect([first.byteLength, waiting.get(0)]).toEqual([4 * ROWS * NUMBERS_A_ROW, undefined]);
    waiting.dropBelow(ROWS, slots.slice(-1));
    expect([first.byteLength, second.byteLength]).toEqual([0, 4 * ROWS * NUMBERS_A_ROW]);
    expect(waiting.find([1_000_002]).get(1_000_002)).toMatchObject({ size: 1 });
    expect(waiting.termCount).toBe((ROWS * NUMBERS_A_ROW) / 2);
  });

  it("may be bytes at any offset", () => {
    const [bytes, offsets] = batch(7);
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    const waiting = new UnindexedTerms(5);
    waiting.pushAll(shifted.subarray(1), offsets);
    const { values, begin } = waiting.get(6)!;
    expect(values[begin]).toBe(7 + NUMBERS_A_ROW);
  });

  it("of single rows are stored in few batches, which release their memory", () => {
    const waiting = new UnindexedTerms(3);
    const lengths = Array.from({ length: 10_000 }, (_, row) => (row % 40) * 2);
    for (const [row, length] of lengths.entries()) waiting.push(new Uint32Array(length).fill(row));
    waiting.push(null);
    const rows = lengths.map((_, row) => waiting.get(3 + row)!);
    const batches = new Set(rows.map(({ values }) => values));
    expect(batches.size).toBeLessThan(20);
    for (const [row, { values, begin, end }] of rows.entries()) {
      expect([...values.subarray(begin, end)]).toEqual(Array(lengths[row]).fill(row));
    }
    expect(waiting.get(3 + rows.length)).toBeUndefined();
    expect(waiting.termCount).toBe(lengths.reduce((sum, length) => sum + length) / 2);
    waiting.dropBelow(3 + rows.length, rows);
    expect([waiting.termCount, rows.at(-1)!.values.byteLength]).toEqual([0, 0]);
    waiting.push(Uint32Array.of(7, 1));
    expect(waiting.find([7]).get(7)).toMatchObject({ size: 1 });
  });

  it("of one row may exceed the size of a batch", () => {
    const waiting = new UnindexedTerms(0);
    waiting.push(Uint32Array.of(1, 1));
    waiting.push(new Uint32Array(2 ** 19).fill(2));
    waiting.push(Uint32Array.of(3, 1));
    const { values, begin, end } = waiting.get(1)!;
    expect([end - begin, values[begin], values[end - 1]]).toEqual([2 ** 19, 2, 2]);
    expect(waiting.find([1, 3]).get(3)).toMatchObject({ size: 1 });
  });
});
