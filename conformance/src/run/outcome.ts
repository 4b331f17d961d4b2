import type { MemoryTier } from "@membus/protocol";
import type { Level } from "../catalogue/clauses.js";
import type { Discrepancy } from "../expect.js";
import type { TracedCall } from "../trace.js";

/**
 * Outcome of a check.
 * - `pass`: at least one expectation, and all of them held
 * - `fail`: the implementation violates the protocol
 * - `untestable`: declared but not exercised, `reason` names the missing requirement of the run
 * - `blocked`: failed over malformed replies that another check reports, so the result is unknown
 * - `not-applicable`: not declared or about another subject, decided before the check runs
 * - `suite-error`: the suite has an error
 */
export type CheckOutcome = "pass" | "fail" | "untestable" | "blocked" | "not-applicable" | "suite-error";

/** Result of one run of one check on one tier. */
export interface CaseResult {
  readonly tier: MemoryTier;
  readonly outcome: CheckOutcome;
  readonly seed: number;
  readonly assertions: number;
  readonly durationMs: number;
  /** Reason if the outcome is neither pass nor fail. A suite error has its stack here. */
  readonly reason?: string;
  readonly discrepancy?: Discrepancy;
  /** Malformed reply field that made the check fail. */
  readonly cause?: string;
  /** Program that reproduces the failure with the fewest requests, if the check searched for it. */
  readonly script?: string;
  /** Last exchanges of a check that did not pass. */
  readonly calls?: readonly TracedCall[];
}

export interface CheckResult {
  readonly id: string;
  readonly level: Level;
  readonly clauses: readonly string[];
  /** Worst outcome of its cases. */
  readonly outcome: CheckOutcome;
  readonly cases: readonly CaseResult[];
  /** Check that reports the cause of a blocked check. */
  readonly blockedBy?: string;
  /** Command that runs only this check with the same seed. */
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

/** Returns whether a MUST check with this outcome prevents conformance. */
export function isOpen(outcome: CheckOutcome): boolean {
  return isRed(outcome) || outcome === "blocked";
}

/** Returns whether the outcome needs attention. */
export function isRed(outcome: CheckOutcome): boolean {
  return outcome === "fail" || outcome === "untestable" || outcome === "suite-error";
}
