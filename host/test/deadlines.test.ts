import { describe, expect, it } from "vitest";
import { Deadlines, failure, type Outcome, success } from "../src/outcome.js";
import { BlockingPlugin } from "./blocking-plugin.js";
import { FakeClock } from "./fake-clock.js";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

const never = new Promise<Outcome<string>>(() => {});

describe("Deadlines", () => {
  it("return the outcome of work that is in time", async () => {
    const deadlines = new Deadlines(new FakeClock());
    expect(await deadlines.race(Promise.resolve(success("done")), 1_800_000_001)).toEqual(success("done"));
  });

  it("end each wait at its own deadline", async () => {
    const clock = new FakeClock();
    const deadlines = new Deadlines(clock);
    const ended: string[] = [];
    for (const [name, at] of [
      ["late", 1],
      ["later", 2],
    ] as const) {
      void deadlines.race(never, clock.now() + at).then(({ ok }) => ended.push(`${name} ${ok}`));
    }
    await clock.advance(990);
    expect(ended).toEqual([]);
    await clock.advance(20);
    expect(ended).toEqual(["late false"]);
    await clock.advance(1_000);
    expect(ended).toEqual(["late false", "later false"]);
  });

  it("turn a late outcome into a timeout, even if no timer could run", async () => {
    const clock = new FakeClock();
    const deadlines = new Deadlines(clock);
    const inTime = deadlines.inTime(Promise.resolve(success("done")), clock.now() + 1);
    expect(await inTime).toEqual(success("done"));
    const late = deadlines.inTime(Promise.resolve(success("done")), clock.now());
    expect(await late).toMatchObject({ ok: false, error: { code: "timeout" } });
  });

  it("can all be ended at once", async () => {
    const deadlines = new Deadlines(new FakeClock());
    const waiting = deadlines.race(never, 1_800_000_100);
    const error = new Error("stop") as never;
    deadlines.failAll(error);
    expect(await waiting).toEqual(failure(error));
  });
});

describe("a deadline", () => {
  it.each(["store", "retrieve", "forget"] as const)(
    "makes a %s fail with `timeout` when it passes",
    async (name) => {
      const plugin = new BlockingPlugin();
      const fixture = await HostFixture.start({ plugins: { working: plugin } });
      const fields = { store: { entries: [{ key: "a", content: 1 }] }, retrieve: {}, forget: { all: true } }[
        name
      ];
      const requests = fixture.ask(`memory/${name}/req`, { ...fields, deadline_ms: 300 });
      await plugin.untilBlocked(1);
      await fixture.clock.advance(320);
      expect(await requests).toMatchObject({ type: "error", code: "timeout", retryable: true });
      plugin.release();
    },
  );

  it("is 5 seconds by default", async () => {
    const plugin = new BlockingPlugin();
    const fixture = await HostFixture.start({ plugins: { working: plugin } });
    const requests = fixture.store([{ key: "a", content: 1 }]);
    await plugin.untilBlocked(1);
    let answered = false;
    void requests.then(() => (answered = true));
    await fixture.clock.advance(4_980);
    expect(answered).toBe(false);
    await fixture.clock.advance(40);
    expect(await requests).toMatchObject({ code: "timeout" });
    plugin.release();
  });

  it("is overridden by an earlier plugin timeout, which affects only its own entries", async () => {
    const slow = new BlockingPlugin();
    const plugins = { working: new MapPlugin(), episodic: slow };
    const fixture = await HostFixture.start({ plugins, options: { pluginTimeoutMs: 200 } });
    const requests = fixture.store([
      { key: "a", content: 1, tier: "episodic" },
      { key: "b", content: 2 },
    ]);
    await slow.untilBlocked(1);
    await fixture.clock.advance(220);
    const reply = await requests;
    expect(reply.stored).toEqual([{ name: "b" }]);
    expect(reply.errors).toMatchObject([{ index: 0, key: { name: "a" }, code: "timeout", retryable: true }]);
    slow.release();
  });
});
