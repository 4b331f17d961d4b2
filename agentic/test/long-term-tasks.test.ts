import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { ModelError } from "../src/model/index.js";
import {
  decided,
  factTexts,
  foundFacts,
  openLongTerm,
  openMemory,
  openScripted,
  requestOf,
} from "./long-term-fixture.js";
import { HastyClock } from "./model-fixture.js";

const TALK = [{ role: "user" as const, content: "I live in Rome" }];
const ROME = "The user lives in Rome";

describe("record with wait: false", () => {
  it("returns event ids immediately, and status reports the progress", async () => {
    let answer: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { longTerm } = await openScripted(async () => {
      await held;
      return foundFacts(ROME);
    });
    const queued = await longTerm.record(TALK, { wait: false });
    expect(queued).toMatchObject({
      status: "queued",
      eventIds: [expect.any(String)],
      cost: { modelCalls: 0 },
    });
    expect(["queued", "running"]).toContain((await longTerm.status(queued.eventIds[0]!)).state);
    answer();
    await longTerm.settled();
    const status = await longTerm.status(queued.eventIds[0]!);
    expect(status).toMatchObject({
      state: "done",
      attempts: 1,
      outcomes: [{ outcome: "new", id: expect.any(String) }],
      cost: { modelCalls: 1, entriesWritten: 1 },
    });
    expect(await factTexts(longTerm)).toEqual([ROME]);
  });

  it("keeps no text after the task is done", async () => {
    const { memory, longTerm } = await openLongTerm();
    await longTerm.record("a secret thing", { wait: false });
    await longTerm.settled();
    await longTerm.forget({ all: true });
    const left: unknown[] = [];
    for await (const entry of memory.entries({ namespace: "tasks" })) left.push(entry);
    for await (const entry of memory.entries({ namespace: "about/**" })) left.push(entry);
    expect(JSON.stringify(left)).not.toMatch(/secret/);
  });

  it("keeps tasks in memory until any process runs them", async () => {
    const memory = await openMemory();
    const first = (await openLongTerm({ client: memory, runQueued: false })).longTerm;
    const { eventIds } = await first.record(["likes tea", "has two cats"], { wait: false, category: "c" });
    await first.close();
    expect(await first.status(eventIds[0]!)).toMatchObject({ state: "queued", attempts: 0 });
    const { longTerm } = await openLongTerm({ client: memory, runQueued: false });
    expect(await longTerm.runPending()).toEqual({ done: 1, failed: 0, postponed: 0 });
    expect(await longTerm.runPending()).toEqual({ done: 0, failed: 0, postponed: 0 });
    expect((await longTerm.retrieve("tea", { category: "c" })).memories).toHaveLength(1);
  });

  it("lets only one of two concurrent runners process a task", async () => {
    const memory = await openMemory();
    const script = () => foundFacts(ROME);
    const [one, two] = [
      await openScripted(script, { client: memory, runQueued: false }),
      await openScripted(script, { client: memory, runQueued: false }),
    ];
    for (let n = 0; n < 10; n++) await one.longTerm.record(TALK, { wait: false });
    const ran = await Promise.all([one.longTerm.runPending(), two.longTerm.runPending()]);
    expect(ran[0].done + ran[1].done).toBe(10);
    expect(one.server.requests.length + two.server.requests.length).toBe(10);
    expect(await factTexts(one.longTerm)).toEqual([ROME]);
  });

  it("takes over a task after its lease, and fails it after the maximum number of attempts", async () => {
    const memory = await openMemory();
    const clock = new HastyClock();
    const options = { client: memory, clock, runQueued: false, taskLeaseS: 60, taskAttemptCountMax: 2 };
    let started = 0;
    // This runner never reports back.
    const silent = await openScripted(() => {
      started += 1;
      return { fault: "no-answer" };
    }, options);
    const { eventIds } = await silent.longTerm.record(TALK, { wait: false });
    void silent.longTerm.runPending().catch(() => {});
    while (started < 1) await memory.ping();
    const { longTerm } = await openScripted(() => foundFacts(ROME), options);
    expect(await longTerm.runPending()).toMatchObject({ done: 0 });
    clock.after(61_000, () => {});
    void silent.longTerm.runPending().catch(() => {});
    while (started < 2) await memory.ping();
    clock.after(61_000, () => {});
    expect(await longTerm.runPending()).toMatchObject({ done: 0 });
    expect(await longTerm.status(eventIds[0]!)).toMatchObject({ state: "failed", reason: /timeout/ });
    expect(await longTerm.retry(eventIds[0]!)).toBe(true);
    expect(await longTerm.runPending()).toMatchObject({ done: 1 });
    expect(await factTexts(longTerm)).toEqual([ROME]);
    expect(await longTerm.retry(eventIds[0]!)).toBe(false);
  });

  it("retries temporary failures, and fails permanent ones", async () => {
    const clock = new HastyClock();
    const answers = [{ status: 503 }, { status: 503 }, { status: 503 }, foundFacts(ROME), { status: 401 }];
    const { longTerm } = await openScripted(answers, { clock, runQueued: false });
    const { eventIds } = await longTerm.record(TALK, { wait: false });
    expect(await longTerm.runPending()).toEqual({ done: 0, failed: 0, postponed: 1 });
    expect(await longTerm.status(eventIds[0]!)).toMatchObject({ state: "queued", attempts: 0 });
    expect(await longTerm.runPending()).toMatchObject({ done: 0, postponed: 0 });
    clock.after(31_000, () => {});
    expect(await longTerm.runPending()).toMatchObject({ done: 1 });
    const second = await longTerm.record(TALK, { wait: false });
    expect(await longTerm.runPending()).toMatchObject({ failed: 1 });
    const status = await longTerm.status(second.eventIds[0]!);
    expect(status).toMatchObject({ state: "failed", reason: expect.stringMatching(/^unauthorized: /) });
  });

  it("logs failed attempts to learn", async () => {
    const [clock, logger] = [new HastyClock(), new RecordingLogger()];
    const failures = [new ModelError("timeout", "too slow"), new ModelError("unauthorized", "wrong key")];
    const model = { complete: () => Promise.reject(failures.shift()) };
    const { longTerm } = await openLongTerm({ model, clock, logger, runQueued: false });
    await longTerm.record(TALK, { wait: false });
    expect(await longTerm.runPending()).toMatchObject({ postponed: 1 });
    clock.after(61_000, () => {});
    expect(await longTerm.runPending()).toMatchObject({ failed: 1 });
    expect(logger.lines.map(({ level, message, fields }) => `${level}: ${message}: ${fields.error}`)).toEqual(
      [
        "warn: could not learn from messages, will retry: timeout: too slow",
        "error: could not learn from messages, will not retry: unauthorized: wrong key",
      ],
    );
  });

  it("waits for a provider that is away for as long as it takes, and logs it", async () => {
    const clock = new HastyClock();
    let isAway = true;
    const logged: unknown[] = [];
    const none = () => {};
    const warn = ({ code }: { readonly code?: unknown }) => logged.push(code);
    const logger = { debug: none, info: none, error: none, warn } as never;
    const { longTerm } = await openScripted(
      () => (isAway ? { status: 503, headers: { "retry-after-ms": "1" } } : foundFacts(ROME)),
      { clock, logger, runQueued: false, taskAttemptCountMax: 2 },
    );
    const { eventIds } = await longTerm.record(TALK, { wait: false });
    for (let round = 0; round < 5; round++) {
      expect(await longTerm.runPending()).toEqual({ done: 0, failed: 0, postponed: 1 });
      clock.after(31_000, () => {});
    }
    expect(await longTerm.status(eventIds[0]!)).toMatchObject({ state: "queued" });
    expect(logged).toEqual(Array(5).fill("unavailable"));
    isAway = false;
    expect(await longTerm.runPending()).toMatchObject({ done: 1 });
  });

  it("cancels queued and running tasks when everything about the subject is forgotten", async () => {
    const memory = await openMemory();
    const other = (await openLongTerm({ client: memory })).longTerm;
    const { longTerm } = await openScripted(
      async (request) => {
        await other.forget({ all: true });
        return requestOf(request).name === "facts" ? foundFacts(ROME) : decided(request);
      },
      { client: memory, runQueued: false },
    );
    const queued = await longTerm.record(TALK, { wait: false });
    const started = await longTerm.record(TALK, { wait: false });
    await longTerm.runPending();
    expect(await factTexts(longTerm)).toEqual([]);
    for (const { eventIds } of [queued, started])
      await rejection(longTerm.status(eventIds[0]!), "memory_not_found");
  });

  it("does not report tasks of other subjects", async () => {
    const { longTerm } = await openLongTerm({ runQueued: false });
    const { eventIds } = await longTerm.record("likes tea", { wait: false });
    const other = longTerm.forSubject("user:other");
    await rejection(other.status(eventIds[0]!), "memory_not_found");
    expect(await other.runPending()).toEqual({ done: 0, failed: 0, postponed: 0 });
  });

  it("divides a text that is too large for an entry", async () => {
    const { longTerm } = await openLongTerm();
    const text = Array.from(
      { length: 3_000 },
      (_, n) => `Sentence ${n} of a report that ${"goes on and ".repeat(8)}ends.`,
    );
    const { eventIds } = await longTerm.record(["fits", text.join(" ")], { wait: false });
    await longTerm.settled();
    const outcomes = await Promise.all(eventIds.map(async (id) => (await longTerm.status(id)).outcomes!));
    expect(new Set(outcomes.flat().map(({ outcome }) => outcome))).toEqual(new Set(["new"]));
    const stored = (await factTexts(longTerm)).join(" ");
    expect(stored.match(/Sentence \d+ of/g)).toHaveLength(3_000);
  });

  it("refuses the whole input if a message is too large for an entry without its text", async () => {
    const { longTerm } = await openLongTerm();
    const large = { role: "user" as const, content: "Look", images: ["x".repeat(300_000)] };
    await rejection(longTerm.record(["fits", large], { wait: false }), "too_large");
    await longTerm.settled();
    expect(await longTerm.sizes()).toMatchObject({ fact: 0 });
  });

  it("splits long input, and processes it in order", async () => {
    const { longTerm } = await openLongTerm();
    const long = Array.from({ length: 100 }, (_, n) => `${n}: ${"word ".repeat(1_500)}`);
    const { eventIds } = await longTerm.record(long, { wait: false });
    expect(eventIds.length).toBeGreaterThan(1);
    await longTerm.settled();
    const states = await Promise.all(eventIds.map(async (id) => (await longTerm.status(id)).state));
    expect(new Set(states)).toEqual(new Set(["done"]));
    expect(await longTerm.sizes()).toMatchObject({ fact: 100 });
  });
});
