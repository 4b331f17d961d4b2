import { MemoryError, type Message } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { turn } from "../../host/test/fake-clock.js";
import { type ClientFixture, openFixture } from "./client-fixture.js";
import { type Answer, storeAll } from "./scripted-host.js";

const ENTRY = { key: "a", content: 1 };
const OVERLOADED = new MemoryError("overloaded", "full", { retry_after_ms: 700 });

/** Fails with `failure` for the first `count` requests. */
const failing = (count: number, failure: Answer) => ({
  answer: (message: Message, n: number) => (n < count ? failure : storeAll(message)),
});

/** Lets messages in flight arrive without advancing the clock. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await turn();
}

async function advance({ clock }: ClientFixture, ms: number): Promise<void> {
  await clock.advance(ms);
  await settle();
}

describe("a reply without a tier that may recover", () => {
  const page = { entries: [{ key: { name: "k" }, tier: "episodic", content: 1 }], total: 1, took_ms: {} };
  const degraded = [{ tier: "working", code: "timeout", message: "working is late" }];
  const late = { answer: (_: Message, n: number) => (n < 1 ? { ...page, degraded } : page) };

  it("is retried if the result must be complete", async () => {
    const fixture = await openFixture(late);
    const recalling = fixture.client.recall("k");
    await settle();
    await advance(fixture, 200);
    expect(await recalling).toBe(1);
    const [first, second] = fixture.host.requests;
    expect(second!.text).toBe(first!.text);
  });

  it("is retried in an iteration", async () => {
    const fixture = await openFixture(late);
    const first = fixture.client.entries().next();
    await settle();
    await advance(fixture, 200);
    expect((await first).value).toMatchObject({ content: 1 });
    expect(fixture.host.requests).toHaveLength(2);
  });

  it("is the result of a retrieve, with the degraded tier", async () => {
    const { client, host } = await openFixture(late);
    expect((await client.retrieve()).degraded).toEqual(degraded);
    expect(host.requests).toHaveLength(1);
  });
});

describe("a request without a reply", () => {
  it("is retried with the same bytes until it is answered", async () => {
    const fixture = await openFixture(failing(3, undefined));
    const storing = fixture.client.store(ENTRY, { timeoutMs: 1_000 });
    for (const attempts of [1, 2, 3]) {
      await settle();
      expect(fixture.host.requests).toHaveLength(attempts);
      await advance(fixture, 1_000);
      await advance(fixture, 200);
    }
    expect((await storing).stored).toEqual(["a"]);
    const texts = fixture.host.requests.map(({ text }) => text);
    expect(texts).toEqual(Array(4).fill(texts[0]));
  });

  it("fails with timeout when no time is left for a retry", async () => {
    const fixture = await openFixture({
      answer: () => undefined,
      client: { timeoutMs: 1_000, retryTimeoutMs: 3_000 },
    });
    const failed = rejection(fixture.client.store(ENTRY), "timeout");
    await advance(fixture, 10_000);
    const error = await failed;
    expect(error.message).toMatch(/^no reply on a2e\.default\.alice\.memory\.store\.req .*\(3 attempts\)$/);
    expect(error.detail).toEqual({ subject: "a2e.default.alice.memory.store.req", attempts: 3 });
    expect(fixture.host.requests).toHaveLength(3);
  });

  it("fails immediately if retries are disabled", async () => {
    const fixture = await openFixture({ answer: () => undefined, client: { retryTimeoutMs: 0 } });
    const failed = rejection(fixture.client.store(ENTRY), "timeout");
    await advance(fixture, 5_000);
    expect((await failed).detail).toEqual({ subject: "a2e.default.alice.memory.store.req" });
    expect(fixture.host.requests).toHaveLength(1);
  });

  it("is retried until a host responds", async () => {
    const fixture = await openFixture();
    const bob = fixture.client.forAgent("bob");
    await fixture.host.stop();
    const storing = bob.store(ENTRY);
    await advance(fixture, 5_000);
    expect(fixture.host.requests).toHaveLength(0);
    fixture.host.listen();
    await advance(fixture, 2_000);
    expect((await storing).stored).toEqual(["a"]);
  });
});

describe("an overloaded host", () => {
  it("is retried after the time that it requests", async () => {
    const fixture = await openFixture(failing(1, OVERLOADED));
    const storing = fixture.client.store(ENTRY);
    await settle();
    await advance(fixture, 700);
    expect(fixture.host.requests).toHaveLength(1);
    await advance(fixture, 50);
    expect(fixture.host.requests).toHaveLength(2);
    expect((await storing).stored).toEqual(["a"]);
  });

  it("is not retried after the retry timeout", async () => {
    const { client, host } = await openFixture({
      ...failing(9, OVERLOADED),
      client: { retryTimeoutMs: 700 },
    });
    expect((await rejection(client.store(ENTRY), "overloaded")).detail).toEqual({ retry_after_ms: 700 });
    expect(host.requests).toHaveLength(1);
  });

  it("is retried with increasing pauses", async () => {
    const fixture = await openFixture(failing(99, new MemoryError("unavailable", "down")));
    const failed = rejection(fixture.client.store(ENTRY), "unavailable");
    for (let steps = 0; steps < 1_200; steps++) await advance(fixture, 25);
    // Pauses double from 50 ms to 2 s, each reduced by up to half: 6 pauses until the longest, then 1 to 2 s
    // each.
    const { attempts } = (await failed).detail;
    expect(attempts).toBeGreaterThan(15);
    expect(attempts).toBeLessThan(38);
  });
});

describe("many concurrent requests", () => {
  it("wait without a listener warning", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on("warning", onWarning);
    const fixture = await openFixture(failing(100, new MemoryError("unavailable", "down")));
    const { signal } = new AbortController();
    const storing = Array.from({ length: 100 }, () => fixture.client.store(ENTRY, { signal }));
    await settle();
    await advance(fixture, 50);
    await Promise.all(storing);
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });
});

describe("non-retryable errors", () => {
  it.each([
    "unauthorized",
    "unsupported",
    "conflict",
    "runtime_error",
    "memory_full",
    "schema_violation",
  ] as const)("throws %s immediately", async (code) => {
    const { client, host } = await openFixture(failing(1, new MemoryError(code, "no", { path: "x" })));
    const error = await rejection(client.store(ENTRY), code);
    expect(error).toMatchObject({ message: "no", detail: { path: "x" } });
    expect(host.requests).toHaveLength(1);
  });
});

describe("entries refused with a retryable error", () => {
  const busy = { key: "busy", content: { refuse: "overloaded" } };
  const refuseFirst = {
    answer: (message: Message, n: number) =>
      storeAll(n === 0 ? message : { ...message, entries: [{ key: "busy", content: 1 }] }),
  };

  it("are retried if none was stored", async () => {
    const fixture = await openFixture(refuseFirst);
    const storing = fixture.client.store([busy]);
    await settle();
    await advance(fixture, 50);
    expect((await storing).stored).toEqual(["busy"]);
    expect(fixture.host.ids[1]).toBe(fixture.host.ids[0]);
  });

  it("are thrown like an error reply after the retry timeout", async () => {
    const { client } = await openFixture({ client: { retryTimeoutMs: 0 } });
    const error = await rejection(client.store([busy, busy]), "overloaded");
    expect(error.message).toBe("refused with overloaded");
  });

  it("are reported if others were stored or failed permanently", async () => {
    const { client, host } = await openFixture();
    const stored = await client.store([busy, ENTRY], { partial: true });
    expect(stored.errors).toMatchObject([{ index: 0, code: "overloaded", retryable: true }]);
    const refused = await client.store([busy, { key: "bad", content: { refuse: "conflict" } }], {
      partial: true,
    });
    expect(refused.errors.map(({ code }) => code)).toEqual(["overloaded", "conflict"]);
    expect(host.requests).toHaveLength(2);
  });
});
