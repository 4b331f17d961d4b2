import { setImmediate as nextTurn } from "node:timers/promises";
import { systemClock } from "@membus/protocol";
import { expect, it } from "vitest";
import { type Turn, Turns } from "../src/routing/admission.js";

const LATER = { deadlineAt: Number.POSITIVE_INFINITY, isMutation: true };

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
  const add = (name: string, turn: Turn) => turns.run(async () => void begun.push(name), turn);
  for (let id = 0; id < 16; id++) void add("first", LATER);
  for (let id = 0; id < 40; id++) void add("late", { ...LATER, deadlineAt: systemClock.now() - 1 });
  void add("in time", LATER);
  await nextTurn();
  expect(begun).toEqual([...Array.from({ length: 16 }, () => "first"), "in time"]);
});

it("begins reads before the mutations that came first, and some mutations however many reads there are", async () => {
  const turns = new Turns({ ...systemClock, now: () => 1_000 });
  const begun: string[] = [];
  const add = (name: string, isMutation: boolean) =>
    void turns.run(async () => void begun.push(name), { ...LATER, isMutation });
  for (let id = 0; id < 22; id++) add("store", true);
  for (let id = 0; id < 15; id++) add("retrieve", false);
  const turnsTaken = [begun.splice(0)];
  while (turnsTaken.flat().length < 37) {
    await nextTurn();
    turnsTaken.push(begun.splice(0));
  }
  const count = (taken: readonly string[], name: string) => taken.filter((each) => each === name).length;
  expect(turnsTaken.map((taken) => [count(taken, "retrieve"), count(taken, "store")])).toEqual([
    [0, 16],
    [14, 2],
    [1, 2],
    [0, 2],
  ]);
});

it("begins few mutations in one turn while reads come, and as many as ever after them", async () => {
  let now = 1_000;
  const turns = new Turns({ ...systemClock, now: () => now });
  let begunCount = 0;
  void turns.run(async () => {}, { ...LATER, isMutation: false });
  await nextTurn();
  for (let id = 0; id < 30; id++) void turns.run(async () => void begunCount++, LATER);
  const counts = [begunCount];
  for (const passedS of [0.01, 0.005, 0.01]) {
    now += passedS;
    await nextTurn();
    counts.push(begunCount);
  }
  expect(counts).toEqual([2, 4, 6, 22]);
});
