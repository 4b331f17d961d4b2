import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("many entries that expire at the same time", () => {
  let nowMs = performance.now();

  it.each(["retrieve", "store", "forget", "maintenance"])(
    "are removed in steps before a %s",
    async (kind) => {
      const kit = await TestKit.open({ options: { flushIdleMs: 10 } });
      const { store, retrieve, forget } = calls(kit);
      for (let part = 0; part < 4; part++) {
        await store(Array.from({ length: 1_000 }, (_, at) => ({ key: `${part} ${at}`, ttl: 10 })));
      }
      kit.clock.advance(10);
      // Every step takes longer than a time slice. Time never goes back.
      nowMs += 1_000_000;
      vi.spyOn(performance, "now").mockImplementation(() => {
        nowMs += 20;
        return nowMs;
      });
      const run = {
        retrieve: () => retrieve(),
        store: () => store([{ key: "new" }]),
        forget: () => forget({ keys: ["0 0"] }),
        maintenance: () => kit.plugin.maintain(),
      }[kind]!;
      let isDone = false;
      const running = run().finally(() => {
        isDone = true;
      });
      const counts = new Set<number>();
      for (; !isDone; await nextTurn()) counts.add(kit.changes.length);
      await running;
      expect([...counts].filter((count) => count > 0 && count < 4_000)).not.toEqual([]);
      expect((await retrieve()).total).toBe(kind === "store" ? 1 : 0);
    },
  );
});
