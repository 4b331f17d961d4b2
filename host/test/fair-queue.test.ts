import { setImmediate as nextTurn } from "node:timers/promises";
import { systemClock } from "@membus/protocol";
import { expect, it } from "vitest";
import { FairQueue, type ScheduledRequest } from "../src/routing/fair-queue.js";
import { ServiceClock } from "../src/routing/service-clock.js";
import { FakeClock } from "./fake-clock.js";

const SENDER = { tenant: "acme", agent: "alice" };
const LATER = { sender: SENDER, deadlineAt: Number.POSITIVE_INFINITY, isMutation: true };

/** Creates a queue. The test sets its event-loop load. */
function queueOf(clock = systemClock) {
  let busyMs = 0;
  const queue = new FairQueue(clock, () => {}, new ServiceClock(() => busyMs));
  return { queue, work: (ms: number) => (busyMs += ms) };
}

it("starts work in order, several per turn of the event loop, the first immediately", async () => {
  const queue = queueOf().queue;
  const started: number[] = [];
  const work = (id: number) => async (): Promise<number> => {
    started.push(id);
    return id;
  };
  const results = Array.from({ length: 40 }, (_, id) => queue.run(work(id), LATER));
  const counts = [started.length];
  const late: Promise<number>[] = [];
  while (started.length < 42) {
    await nextTurn();
    counts.push(started.length);
    if (late.length < 2) late.push(queue.run(work(40 + late.length), LATER));
  }
  expect(counts).toEqual([16, 32, 41]);
  expect(started).toEqual(Array.from({ length: 42 }, (_, id) => id));
  expect(await Promise.all([...results, ...late])).toEqual(started);
  await nextTurn();
  expect(await queue.run(work(42), LATER)).toBe(42);
});

it("continues after failing work", async () => {
  const queue = queueOf().queue;
  const failing = () => Promise.reject(new Error("planned"));
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => queue.run(failing, LATER)));
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(20);
  expect(await queue.run(async () => "next", LATER)).toBe("next");
});

it("skips work after its deadline", async () => {
  const queue = queueOf().queue;
  const started: string[] = [];
  const add = (name: string, turn: ScheduledRequest) => queue.run(async () => void started.push(name), turn);
  for (let id = 0; id < 16; id++) void add("first", LATER);
  for (let id = 0; id < 40; id++) void add("late", { ...LATER, deadlineAt: systemClock.now() - 1 });
  void add("in time", LATER);
  await nextTurn();
  expect(started).toEqual([...Array.from({ length: 16 }, () => "first"), "in time"]);
});

it("starts reads before earlier mutations, and some mutations however many reads there are", async () => {
  const queue = queueOf({ ...systemClock, now: () => 1_000 }).queue;
  const started: string[] = [];
  const add = (name: string, isMutation: boolean) =>
    void queue.run(async () => void started.push(name), { ...LATER, isMutation });
  for (let id = 0; id < 22; id++) add("store", true);
  for (let id = 0; id < 15; id++) add("retrieve", false);
  const turnsTaken = [started.splice(0)];
  while (turnsTaken.flat().length < 37) {
    await nextTurn();
    turnsTaken.push(started.splice(0));
  }
  const count = (taken: readonly string[], name: string) => taken.filter((each) => each === name).length;
  expect(turnsTaken.map((taken) => [count(taken, "retrieve"), count(taken, "store")])).toEqual([
    [0, 16],
    [14, 2],
    [1, 2],
    [0, 2],
  ]);
});

it("starts few mutations per turn while reads arrive, and the usual number afterwards", async () => {
  let now = 1_000;
  const queue = queueOf({ ...systemClock, now: () => now }).queue;
  let startedCount = 0;
  void queue.run(async () => {}, { ...LATER, isMutation: false });
  await nextTurn();
  for (let id = 0; id < 30; id++) void queue.run(async () => void startedCount++, LATER);
  const counts = [startedCount];
  for (const passedS of [0.01, 0.005, 0.01]) {
    now += passedS;
    await nextTurn();
    counts.push(startedCount);
  }
  expect(counts).toEqual([2, 4, 6, 22]);
});

/** Queues `count` requests per sender, and returns the order in which they started. */
async function orderOf(senders: readonly string[], count: number, costOf: (name: string) => number) {
  const { queue, work } = queueOf();
  const started: string[] = [];
  const ask = (name: string) => {
    const [tenant, agent] = name.split(".") as [string, string];
    const start = async () => {
      started.push(name);
      work(costOf(name));
    };
    return queue.run(start, { ...LATER, isMutation: false, sender: { tenant, agent } });
  };
  // The first request establishes the estimated cost.
  for (const name of senders) await ask(name);
  started.length = 0;
  await Promise.all(senders.flatMap((name) => Array.from({ length: count }, () => ask(name))));
  return started;
}

it("starts the next request of the agent with the least usage, so that expensive requests wait", async () => {
  const started = await orderOf(["acme.dear", "acme.cheap"], 40, (name) => (name === "acme.dear" ? 20 : 0.5));
  const first = started.slice(0, 44);
  expect(first.filter((name) => name === "acme.cheap").length).toBeGreaterThanOrEqual(38);
  expect(started.slice(44).every((name) => name === "acme.dear")).toBe(true);
});

it("shares between tenants first, however many agents a tenant has", async () => {
  const many = Array.from({ length: 8 }, (_, n) => `many.agent${n}`);
  const started = await orderOf([...many, "one.agent"], 30, () => 2);
  const isOne = started.map((name) => name === "one.agent");
  // All 30 requests of the one tenant have started when the first 30 of the other have: one for one.
  expect(isOne.lastIndexOf(true)).toBeLessThan(70);
  expect(started).toHaveLength(270);
});

it("limits the concurrent requests of one agent by their total cost", async () => {
  const { queue, work } = queueOf();
  const ends: (() => void)[] = [];
  const ask = (agent: string) =>
    queue.run(() => new Promise<void>((resolve) => ends.push(() => resolve(void work(10)))), {
      ...LATER,
      isMutation: false,
      sender: { tenant: "acme", agent },
    });
  const endAll = async () => {
    for (const end of ends.splice(0)) end();
    await nextTurn();
    await nextTurn();
  };
  for (let n = 0; n < 20; n++) {
    void ask("dear");
    await endAll();
  }
  for (let n = 0; n < 12; n++) void ask("dear");
  await nextTurn();
  expect(ends).toHaveLength(2);
  void ask("bob");
  await nextTurn();
  expect(ends).toHaveLength(3);
  await endAll();
  expect(ends).toHaveLength(2);
});

it("starts only a few milliseconds of work per turn, but at least one mutation", async () => {
  const { queue, work } = queueOf({ ...systemClock, now: () => 1_000 });
  const started: string[] = [];
  const add = (agent: string, isMutation: boolean) =>
    void queue.run(
      async () => {
        started.push(isMutation ? "store" : "retrieve");
        work(3);
      },
      { ...LATER, isMutation, sender: { tenant: "acme", agent } },
    );
  for (let n = 0; n < 5; n++) add(`reader${n}`, false);
  for (let n = 0; n < 3; n++) add(`writer${n}`, true);
  const turns = [started.splice(0)];
  while (turns.flat().length < 8) {
    await nextTurn();
    turns.push(started.splice(0));
  }
  expect(turns).toEqual([
    ["retrieve", "retrieve"],
    ["retrieve", "retrieve", "store"],
    ["retrieve", "store"],
    ["store"],
  ]);
});

it("delays expensive work for a few milliseconds while cheap work of other agents is running", async () => {
  const clock = new FakeClock();
  const { queue, work } = queueOf(clock);
  let expensiveCount = 0;
  const askExpensive = () =>
    queue.run(
      async () => {
        expensiveCount++;
        work(10);
      },
      { ...LATER, isMutation: false, sender: { tenant: "acme", agent: "dear" } },
    );
  // The first requests establish the estimated cost.
  for (let n = 0; n < 4; n++) await askExpensive();
  await nextTurn();
  const ends: (() => void)[] = [];
  const store = () => queue.run(() => new Promise<void>((resolve) => ends.push(resolve)), LATER);
  const storing = store();
  const waiting = [askExpensive(), askExpensive()];
  await nextTurn();
  await nextTurn();
  expect(expensiveCount).toBe(4);
  ends[0]!();
  await storing;
  await Promise.all(waiting);
  expect(expensiveCount).toBe(6);
  await nextTurn();
  void store();
  const late = askExpensive();
  await nextTurn();
  expect(expensiveCount).toBe(6);
  await clock.advance(5);
  await late;
  expect(expensiveCount).toBe(7);
});

it("starts requests of impatient agents after other requests, and pauses between them", async () => {
  const clock = new FakeClock();
  const { queue, work } = queueOf(clock);
  const started: string[] = [];
  const add = (agent: string, isImpatient: boolean) =>
    queue.run(
      async () => {
        started.push(agent);
        work(10);
      },
      { ...LATER, sender: { tenant: "acme", agent }, isImpatient },
    );
  const all = [add("patient", false), add("flood", true), add("flood", true), add("late", false)];
  await clock.advance(0);
  expect(started).toEqual(["patient", "late"]);
  await clock.advance(40);
  await clock.advance(0);
  expect(started.slice(2)).toEqual(["flood"]);
  await clock.advance(50);
  await Promise.all(all);
  expect(started.slice(2)).toEqual(["flood", "flood"]);
});

it("does not pause impatient agents if no other agent has sent a request for a second", async () => {
  const { queue, work } = queueOf(new FakeClock());
  const turn = { ...LATER, isImpatient: true };
  const ask = () => queue.run(async () => void work(10), turn);
  await Promise.all(Array.from({ length: 5 }, ask));
});
