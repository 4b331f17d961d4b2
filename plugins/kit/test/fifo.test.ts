import { expect, it } from "vitest";
import { Fifo } from "../src/journal/queues.js";

it("returns values in insertion order, for any number of values", () => {
  const fifo = new Fifo<number>();
  const given: number[] = [];
  for (let value = 0; value < 10_000; value++) {
    fifo.push(value);
    if (value % 3 === 0) continue;
    given.push(fifo.first!);
    fifo.shift();
  }
  const left = [...fifo];
  expect([...given, ...left]).toEqual(Array.from({ length: 10_000 }, (_, value) => value));
  expect(fifo.first).toBe(left[0]);
});

it("has no first value when it is empty", () => {
  const fifo = new Fifo<string>();
  fifo.shift();
  expect([fifo.first, ...fifo]).toEqual([undefined]);
  fifo.push("a");
  expect(fifo.first).toBe("a");
});
