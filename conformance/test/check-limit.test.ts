import { delay, systemClock } from "@membus/protocol";
import { expect, it } from "vitest";
import { hostCheck } from "../src/catalogue/check.js";
import type { HostContext } from "../src/context.js";
import { runCase } from "../src/run/run-case.js";
import type { Trace } from "../src/trace.js";
import type { TierFacts, World, WorldRequest } from "../src/world.js";

const LIMIT_MS = 100;
const FACTS = { tier: "working", plugin: "none", features: {} } as unknown as TierFacts;

/** Runs a check within the limit. `run` records its calls in the trace. */
function runWithin(run: (trace: Trace) => Promise<void>) {
  let opened: WorldRequest;
  const world = {
    provisions: new Set(),
    open: async (request: WorldRequest) => {
      opened = request;
      return { context: {} as HostContext, close: async () => undefined };
    },
  } as unknown as World;
  const check = hostCheck({
    id: "area/limited",
    clauses: ["ENV-1"],
    run: async () => {
      await run(opened.trace);
      opened.expect.equal(1, 1, "one");
    },
  });
  return runCase(check, FACTS, world, { seed: 1, timeoutMs: LIMIT_MS });
}

/** Makes a call after another that takes a millisecond, until `until`. */
async function callUntil(trace: Trace, until: number): Promise<void> {
  while (performance.now() < until) await trace.record("call", {}, () => delay(systemClock, 1));
}

it("a check passes if its calls together take longer than the limit", async () => {
  const result = await runWithin((trace) => callUntil(trace, performance.now() + 3 * LIMIT_MS));
  expect(result).toMatchObject({ outcome: "pass" });
});

it("a check passes if a restart takes longer than the limit", async () => {
  const result = await runWithin((trace) => trace.wait(() => delay(systemClock, 3 * LIMIT_MS)));
  expect(result).toMatchObject({ outcome: "pass" });
});

it("a check fails once none of its calls ends within the limit", async () => {
  const result = await runWithin(async (trace) => {
    await trace.record("call", {}, async () => ({}));
    await new Promise(() => undefined);
  });
  const expected = "its end within 1 s, and the end of a call within each 0.1 s";
  const got = "no end: 1 calls ended";
  expect(result).toMatchObject({ outcome: "fail", discrepancy: { what: "the whole check", expected, got } });
});

it("a check that always makes another call fails after ten limits", async () => {
  const result = await runWithin((trace) => callUntil(trace, performance.now() + 20 * LIMIT_MS));
  expect(result).toMatchObject({ outcome: "fail", discrepancy: { what: "the whole check" } });
});
