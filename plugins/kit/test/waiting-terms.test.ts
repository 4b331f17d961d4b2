import { describe, expect, it } from "vitest";
import { WaitingTerms } from "../src/partition/waiting-terms.js";

const ROWS = 1_000;
/** Large enough for memory of their own. */
const NUMBERS_A_ROW = 100;

/** Bytes of a batch whose numbers count up from `first`, and where its rows begin. */
function batch(first: number): [Uint8Array, Uint32Array] {
  const numbers = Uint32Array.from({ length: ROWS * NUMBERS_A_ROW }, (_, index) => first + index);
  const offsets = Uint32Array.from({ length: ROWS + 1 }, (_, row) => row * NUMBERS_A_ROW);
  return [new Uint8Array(numbers.buffer), offsets];
}

describe("terms that wait to be indexed", () => {
  it("give their memory back, batch by batch, once no slot of it waits", () => {
    const waiting = new WaitingTerms(0);
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

  it("may come as bytes that begin anywhere", () => {
    const [bytes, offsets] = batch(7);
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    const waiting = new WaitingTerms(5);
    waiting.pushAll(shifted.subarray(1), offsets);
    const { values, begin } = waiting.get(6)!;
    expect(values[begin]).toBe(7 + NUMBERS_A_ROW);
  });
});
