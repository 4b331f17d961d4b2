import type { MemoryTier } from "@membus/protocol";
import type { Level } from "../catalogue/clauses.js";
import type { Discrepancy } from "../expect.js";
import type { TracedCall } from "../trace.js";

/**
 * - `pass`: something was expected, and held
 * - `fail`: the protocol is broken
 * - `untestable`: declared, and not exercised; `reason` names what the run lacks
 * - `blocked`: failed over replies without their form, which another check reports: nothing is known of what it is about
 * - `not-applicable`: not declared, or about something else; decided before the check runs
 * - `suite-error`: the suite itself is at fault
 */
export type CheckOutcome = "pass" | "fail" | "untestable" | "blocked" | "not-applicable" | "suite-error";

/** What one run of one check on one tier came to. */
export interface CaseResult {
  readonly tier: MemoryTier;
  readonly outcome: CheckOutcome;
  readonly seed: number;
  readonly assertions: number;
  readonly durationMs: number;
  /** Why it is neither pass nor fail; of a suite error, its stack. */
  readonly reason?: string;
  readonly discrepancy?: Discrepancy;
  /** Of a check that failed: what the replies that it got lack of their form. */
  readonly cause?: string;
  /** A program that shows the failure with the fewest requests, where the check looked for them. */
  readonly script?: string;
  /** What was sent and what came, the last calls of a check that did not pass. */
  readonly calls?: readonly TracedCall[];
}

export interface CheckResult {
  readonly id: string;
  readonly level: Level;
  readonly clauses: readonly string[];
  /** The worst of its cases. */
  readonly outcome: CheckOutcome;
  readonly cases: readonly CaseResult[];
  /** Of a blocked check: the one that reports what both failed over. */
  readonly blockedBy?: string;
  /** The command that runs this check alone with the same seed. */
  readonly rerun: string;
}

const FROM_WORST: readonly CheckOutcome[] = [
  "suite-error",
  "fail",
  "untestable",
  "blocked",
  "pass",
  "not-applicable",
];

export function worstOf(outcomes: readonly CheckOutcome[]): CheckOutcome {
  return FROM_WORST.find((outcome) => outcomes.includes(outcome)) ?? "not-applicable";
}

/** Whether an implementation with a MUST of this is not conformant. */
export function isOpen(outcome: CheckOutcome): boolean {
  return isRed(outcome) || outcome === "blocked";
}

/** Whether it must be looked at. */
export function isRed(outcome: CheckOutcome): boolean {
  return outcome === "fail" || outcome === "untestable" || outcome === "suite-error";
}
