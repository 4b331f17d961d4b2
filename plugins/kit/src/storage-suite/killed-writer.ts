import { delay, systemClock } from "@membus/protocol";
import type { ExpectedRows } from "./expected-rows.js";
import type { ChildReport } from "./storage-child.js";
import { StorageProcess } from "./storage-process.js";
import type { Workbench } from "./workbench.js";
import { ROUND_STEPS, type RoundStep, removedOf, rowsOf } from "./write-rounds.js";

/** An interrupted step with unknown progress. */
export interface InterruptedStep {
  readonly step: RoundStep;
  readonly round: number;
}

/**
 * Kills a process during the step `target`, after enough rounds to measure its duration with warm code. `part`
 * is the part of that duration after which it is killed, 0..1. A storage may instead kill its process during
 * this step. `expectedRows` is updated with everything that the process acknowledged.
 */
export async function killDuring(
  { step: target, part }: { readonly step: RoundStep; readonly part: number },
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
  let isRunning = false;
  let killed: Promise<void> | undefined;
  try {
    for (;;) {
      const mayEnd: boolean = killed !== undefined || (isRunning && cut.step === target);
      const report: ChildReport | undefined = await (mayEnd ? writer.nextUntilKilled() : writer.expectNext());
      if (report === undefined) break;
      if (report.event !== "doing" && report.event !== "done") continue;
      const { step, round } = report;
      if (report.event === "done") {
        acknowledge(expectedRows, { step, round });
        if (step === target) lastsMs = (systemClock.now() - begunAt) * 1_000;
      }
      cut = { step, round };
      isRunning = report.event === "doing";
      if (report.event === "done") cut = nextStep(cut);
      if (report.event !== "doing" || step !== target) continue;
      begunAt = systemClock.now();
      if (round >= first + ROUNDS_BEFORE)
        killed ??= delay(systemClock, part * lastsMs).then(() => writer.kill());
    }
  } finally {
    await writer.kill();
  }
  return cut;
}

const ROUNDS_BEFORE = 2;

/** Returns the next step, which may have started without a report. */
function nextStep({ step, round }: InterruptedStep): InterruptedStep {
  const next = ROUND_STEPS[ROUND_STEPS.indexOf(step) + 1];
  return next === undefined ? { step: ROUND_STEPS[0], round: round + 1 } : { step: next, round };
}

export function acknowledge(expectedRows: ExpectedRows, { step, round }: InterruptedStep): void {
  if (step === "append") expectedRows.add(rowsOf(round));
  if (step === "remove") for (const { scope, rowId } of removedOf(round)) expectedRows.drop(scope, [rowId]);
}
