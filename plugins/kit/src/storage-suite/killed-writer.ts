import { randomInt } from "node:crypto";
import { delay, systemClock } from "@membus/protocol";
import type { ExpectedRows } from "./expected-rows.js";
import { StorageProcess } from "./storage-process.js";
import type { Workbench } from "./workbench.js";
import { ROUND_STEPS, type RoundStep, removedOf, rowsOf } from "./write-rounds.js";

/** An interrupted step with unknown progress. */
export interface InterruptedStep {
  readonly step: RoundStep;
  readonly round: number;
}

/**
 * Kills a process during the step `target`, after enough rounds to measure its duration with warm code.
 * `expectedRows` is updated with everything that the process acknowledged.
 */
export async function killDuring(
  target: RoundStep,
  bench: Workbench,
  directory: string,
  first: number,
  expectedRows: ExpectedRows,
): Promise<InterruptedStep> {
  const { checkTimeoutMs } = bench.options;
  const writer = new StorageProcess(bench.subject, checkTimeoutMs, {
    action: "write",
    directory,
    round: first,
  });
  let begunAt = 0;
  let lastsMs = 0;
  let cut: InterruptedStep = { step: "append", round: first };
  let killed: Promise<void> | undefined;
  try {
    for (
      let report = await writer.expectNext();
      report !== undefined;
      report = (await nextOf(writer, killed))!
    ) {
      if (report.event !== "doing" && report.event !== "done") continue;
      const { step, round } = report;
      if (report.event === "done") {
        acknowledge(expectedRows, { step, round });
        if (step === target) lastsMs = (systemClock.now() - begunAt) * 1_000;
      }
      cut = { step, round };
      if (report.event === "done") cut = nextStep(cut);
      if (report.event !== "doing" || step !== target) continue;
      begunAt = systemClock.now();
      if (round >= first + ROUNDS_BEFORE)
        killed ??= delay(systemClock, randomDelay(lastsMs)).then(() => writer.kill());
    }
  } finally {
    await writer.kill();
  }
  return cut;
}

const ROUNDS_BEFORE = 2;

const nextOf = (writer: StorageProcess, killed: Promise<void> | undefined) =>
  killed === undefined ? writer.expectNext() : writer.next();

function randomDelay(lastsMs: number): number {
  return randomInt(0, Math.max(1, Math.ceil(lastsMs)));
}

/** Returns the next step, which may have started without a report. */
function nextStep({ step, round }: InterruptedStep): InterruptedStep {
  const next = ROUND_STEPS[ROUND_STEPS.indexOf(step) + 1];
  return next === undefined ? { step: ROUND_STEPS[0], round: round + 1 } : { step: next, round };
}

export function acknowledge(expectedRows: ExpectedRows, { step, round }: InterruptedStep): void {
  if (step === "append") expectedRows.add(rowsOf(round));
  if (step === "remove") for (const { scope, rowId } of removedOf(round)) expectedRows.drop(scope, [rowId]);
}
