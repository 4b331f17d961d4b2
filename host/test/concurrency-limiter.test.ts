import { describe, expect, it } from "vitest";
import { ConcurrencyLimiter } from "../src/plugin-calls/concurrency-limiter.js";
import { FakeClock, turn } from "./fake-clock.js";

function blockedCalls() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const call = (name: string) => () => {
    started.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  return { started, call, end: (name: string) => ends.get(name)!() };
}

describe("ConcurrencyLimiter", () => {
  it("limits concurrent calls and starts the others in order", async () => {
    const { started, call, end } = blockedCalls();
    const lane = new ConcurrencyLimiter({ concurrency: 2, queueCountMax: 2 }, new FakeClock());
    const results = ["a", "b", "c", "d"].map((name) => lane.run(call(name)));
    await expect(lane.run(call("e"))).rejects.toMatchObject({ code: "overloaded" });
    expect([started, lane.runningCount, lane.waitingCount]).toEqual([["a", "b"], 2, 2]);
    for (const name of ["b", "c", "a", "d"]) {
      end(name);
      await turn();
    }
    expect(await Promise.all(results)).toEqual(["a", "b", "c", "d"]);
    expect([started, lane.runningCount]).toEqual([["a", "b", "c", "d"], 0]);
  });

  it("starts the next call of the group with the fewest running calls", async () => {
    const { started, call, end } = blockedCalls();
    const lane = new ConcurrencyLimiter({ concurrency: 2, queueCountMax: 9 }, new FakeClock());
    for (const name of ["a1", "a2", "a3", "a4", "b1", "b2"]) {
      void lane.run(call(name), { group: name.charAt(0) });
    }
    for (const name of ["a1", "a2", "b1", "a3", "b2", "a4"]) {
      end(name);
      await turn();
    }
    expect(started).toEqual(["a1", "a2", "b1", "a3", "b2", "a4"]);
  });

  it("keeps a slot until the call has settled or failed", async () => {
    const lane = new ConcurrencyLimiter({ concurrency: 1, queueCountMax: 2 }, new FakeClock());
    const failing = lane.run(async () => Promise.reject(new Error("later")));
    const throwing = lane.run(() => {
      throw new Error("at once");
    });
    const after = lane.run(async () => "after");
    await Promise.all([
      expect(failing).rejects.toThrow("later"),
      expect(throwing).rejects.toThrow("at once"),
    ]);
    expect(await after).toBe("after");
  });

  it("frees queue space by refusing expired calls, and never starts them", async () => {
    const clock = new FakeClock();
    const { started, call, end } = blockedCalls();
    const lane = new ConcurrencyLimiter({ concurrency: 1, queueCountMax: 1 }, clock);
    const first = lane.run(call("a"));
    const expiring = lane.run(call("b"), { expiresAt: clock.now() + 1 });
    await clock.advance(1_000);
    const third = lane.run(call("c"));
    await expect(expiring).rejects.toMatchObject({ code: "timeout" });
    end("a");
    await first;
    await turn();
    end("c");
    expect(await third).toBe("c");
    expect(started).toEqual(["a", "c"]);
  });

  it("refuses queued calls on close, and resolves idle() when no call is running", async () => {
    const { call, end } = blockedCalls();
    const lane = new ConcurrencyLimiter({ concurrency: 1, queueCountMax: 5 }, new FakeClock());
    const running = lane.run(call("a"));
    const waiting = lane.run(call("b"));
    lane.close();
    await expect(waiting).rejects.toMatchObject({ code: "unavailable" });
    await expect(lane.run(call("c"))).rejects.toMatchObject({ code: "unavailable" });
    let isIdle = false;
    const idle = lane.idle().then(() => (isIdle = true));
    await turn();
    expect(isIdle).toBe(false);
    end("a");
    await idle;
    expect(await running).toBe("a");
  });
});
