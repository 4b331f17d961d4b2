import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { Turns } from "../src/turns.js";

it("begins work in order, some of it in each turn of the event loop, the first at once", async () => {
  const turns = new Turns();
  const begun: number[] = [];
  const work = (id: number) => async (): Promise<number> => {
    begun.push(id);
    return id;
  };
  const results = Array.from({ length: 40 }, (_, id) => turns.run(work(id)));
  const counts = [begun.length];
  const late: Promise<number>[] = [];
  while (begun.length < 42) {
    await nextTurn();
    counts.push(begun.length);
    if (late.length < 2) late.push(turns.run(work(40 + late.length)));
  }
  expect(counts).toEqual([16, 32, 41]);
  expect(begun).toEqual(Array.from({ length: 42 }, (_, id) => id));
  expect(await Promise.all([...results, ...late])).toEqual(begun);
  await nextTurn();
  expect(await turns.run(work(42))).toBe(42);
});

it("goes on after work that fails", async () => {
  const turns = new Turns();
  const failing = () => Promise.reject(new Error("planned"));
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => turns.run(failing)));
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(20);
  expect(await turns.run(async () => "next")).toBe("next");
});
