import { isMemoryError, systemClock, withTimeout } from "@membus/protocol";
import type { Check } from "../catalogue/check.js";
import { Expect, ExpectationError, UntestableError } from "../expect.js";
import { NoReplyError } from "../no-reply-error.js";
import { shown } from "../report/shown.js";
import { Trace } from "../trace.js";
import type { TierFacts, World } from "../world.js";
import { whyNotRun } from "./applicability.js";
import type { CaseResult } from "./outcome.js";

/** A check with slow calls takes at most this many times its limit. */
export const LIMITS_MAX = 10;

export interface CaseOptions {
  readonly seed: number;
  /** Time in which a check ends, or at least one of its calls. In milliseconds. */
  readonly timeoutMs: number;
  /** Passes replies on to the check even if they are malformed. */
  readonly anyForm?: boolean;
}

type Verdict = Pick<CaseResult, "outcome" | "reason" | "discrepancy" | "cause">;

/** Runs one check on one tier. Never rejects, because every error becomes an outcome. */
export async function runCase(
  check: Check,
  facts: TierFacts,
  world: World,
  options: CaseOptions,
): Promise<CaseResult> {
  const { tier } = facts;
  const { seed, timeoutMs, anyForm = false } = options;
  const notRun = whyNotRun(check, facts, world);
  if (notRun !== undefined) return { tier, seed, assertions: 0, durationMs: 0, ...notRun };
  const expect = new Expect();
  const trace = new Trace();
  const startedAt = systemClock.now();
  const run = runInWorld(world, { check, tier, seed, expect, trace, anyForm });
  const verdict = (await whileCallsEnd(run, trace, timeoutMs)) ?? tooLong(timeoutMs, trace);
  const judged = verdict.outcome === "pass" && expect.count === 0 ? EXPECTED_NOTHING : verdict;
  const durationMs = Math.round((systemClock.now() - startedAt) * 1_000);
  const calls = judged.outcome === "pass" ? {} : { calls: trace.calls };
  const steps = judged.discrepancy?.steps;
  const script = steps === undefined ? {} : { script: world.replayScript(steps) };
  return { tier, seed, assertions: expect.count, durationMs, ...judged, ...script, ...calls };
}

const EXPECTED_NOTHING: Verdict = { outcome: "suite-error", reason: "the check has no expectation" };

async function runInWorld(world: World, request: Parameters<World["open"]>[0]): Promise<Verdict> {
  try {
    const opened = await world.open(request);
    try {
      await request.check.run(opened.context);
    } finally {
      await opened.close();
    }
    return { outcome: "pass" };
  } catch (error) {
    return withCause(verdictOf(error), request.trace);
  }
}

function verdictOf(error: unknown): Verdict {
  if (error instanceof ExpectationError) return { outcome: "fail", discrepancy: error.discrepancy };
  if (error instanceof UntestableError) return { outcome: "untestable", reason: error.message };
  if (error instanceof NoReplyError) {
    const what = `the reply to a request on ${error.subject}`;
    return { outcome: "fail", discrepancy: { what, expected: "one", got: `none: ${error.message}` } };
  }
  if (isMemoryError(error)) {
    const got = `an error ${error.code} (${error.message}) with detail ${shown(error.detail)}`;
    const discrepancy = {
      what: "a request that the protocol allows (the last one below)",
      expected: "its reply",
      got,
    };
    return { outcome: "fail", discrepancy };
  }
  return {
    outcome: "suite-error",
    reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/**
 * Attributes an error of the check to a malformed reply, if one was received. It is then not an error of the
 * suite.
 */
function withCause(verdict: Verdict, { formFault }: Trace): Verdict {
  const cause = verdict.discrepancy?.cause ?? formFault?.cause;
  if (cause === undefined || verdict.outcome === "untestable") return verdict;
  if (verdict.outcome !== "suite-error") return { ...verdict, cause };
  return { outcome: "fail", discrepancy: formFault!, cause };
}

/** Returns undefined once no call or restart has ended within a limit, or all limits have passed. */
async function whileCallsEnd<T>(run: Promise<T>, trace: Trace, timeoutMs: number): Promise<T | undefined> {
  for (let limit = 1; limit <= LIMITS_MAX; limit++) {
    const endedBefore = trace.endedCount;
    const result = await withTimeout(systemClock, timeoutMs, run);
    const isStuck = trace.endedCount === endedBefore && !trace.isWaiting;
    if (result !== undefined || isStuck) return result;
  }
  return undefined;
}

function tooLong(timeoutMs: number, { endedCount }: Trace): Verdict {
  const limit = timeoutMs / 1_000;
  const expected = `its end within ${limit * LIMITS_MAX} s, and the end of a call within each ${limit} s`;
  const got = `no end: ${endedCount} calls ended`;
  return { outcome: "fail", discrepancy: { what: "the whole check", expected, got } };
}
