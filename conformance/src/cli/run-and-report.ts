import { runToReport, type SuiteReport } from "../report/suite-report.js";
import type { World } from "../world.js";
import { exitCodeOf } from "./exit-codes.js";
import { Interruption } from "./interruption.js";
import { ProgressLine } from "./progress.js";
import { writeReports } from "./report-files.js";
import type { RunSettings } from "./run-options.js";

/** Runs the selected checks, writes the reports, closes the world and returns the exit code. */
export async function runAndReport(
  world: World,
  settings: RunSettings,
  rerun: (checkId: string, seed: number) => string,
): Promise<number> {
  const interruption = new Interruption();
  process.stderr.write(`${settings.checks.length} checks, seed ${settings.seed}\n`);
  try {
    const report = await runWithProgress(interruption.guard(world), settings, rerun);
    if (interruption.exitCode !== undefined) return interruption.exitCode;
    await writeReports(report, settings.targets);
    return exitCodeOf(report, settings.strict);
  } finally {
    interruption.release();
    await world.close();
  }
}

async function runWithProgress(
  world: World,
  { checks, ...settings }: RunSettings,
  rerun: (checkId: string, seed: number) => string,
): Promise<SuiteReport> {
  const progress = new ProgressLine();
  try {
    return await runToReport(world, { ...settings, selected: checks, rerun, onResult: progress.update });
  } finally {
    progress.end();
  }
}
