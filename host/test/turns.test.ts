import { setImmediate as nextTurn } from "node:timers/promises";
import { systemClock } from "@membus/protocol";
import { expect, it } from "vitest";
import { Turns } from "../src/turns.js";

const LATER = Number.POSITIVE_INFINITY;

it("begins work in order, some of it in each turn of the event loop, the first at once", async () => {
  const turns = new Turns(systemClock);
  const begun: number[] = [];
  const work = (id: number) => async (): Promise<number> => {
    begun.push(id);
    return id;
  };
  const results = Array.from({ length: 40 }, (_, id) => turns.run(work(id), LATER));
  const counts = [begun.length];
  const late: Promise<number>[] = [];
  while (begun.length < 42) {
    await nextTurn();
    counts.push(begun.length);
    if (late.length < 2) late.push(turns.run(work(40 + late.length), LATER));
  }
  expect(counts).toEqual([16, 32, 41]);
  expect(begun).toEqual(Array.from({ length: 42 }, (_, id) => id));
  expect(await Promise.all([...results, ...late])).toEqual(begun);
  await nextTurn();
  expect(await turns.run(work(42), LATER)).toBe(42);
});

it("goes on after work that fails", async () => {
  const turns = new Turns(systemClock);
  const failing = () => Promise.reject(new Error("planned"));
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => turns.run(failing, LATER)));
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(20);
  expect(await turns.run(async () => "next", LATER)).toBe("next");
});

it("does not begin what nobody waits for any more, and passes over it at once", async () => {
  const turns = new Turns(systemClock);
  const begun: string[] = [];
  const add = (name: string, deadlineAt: number) => turns.run(async () => void begun.push(name), deadlineAt);
  for (let id = 0; id < 16; id++) void add("first", LATER);
  for (let id = 0; id < 40; id++) void add("late", systemClock.now() - 1);
  void add("in time", LATER);
  await nextTurn();
  expect(begun).toEqual([...Array.from({ length: 16 }, () => "first"), "in time"]);
});
