import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./root.js";
import type { RunSummary } from "./run-summary.js";
import { SUMMARY_FILE } from "./summary-reporter.js";

const VITEST = join(ROOT, "node_modules", "vitest", "vitest.mjs");
const REPORTER = join(ROOT, "tools", "tidy", "summary-reporter.ts");

/** Runs vitest in a separate process, so that a crash of vitest is reported as a failure. */
export async function runVitest(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stdio: "inherit" | "ignore" = "inherit",
): Promise<RunSummary> {
  const folder = mkdtempSync(join(tmpdir(), "membus-tests-"));
  try {
    const summaryFile = join(folder, "summary.json");
    const child = spawn(
      process.execPath,
      [VITEST, "run", "--reporter=default", `--reporter=${REPORTER}`, ...args],
      { cwd: ROOT, env: { ...env, [SUMMARY_FILE]: summaryFile }, stdio },
    );
    const [exitCode] = await once(child, "close");
    return countingCrash(readSummary(summaryFile), exitCode);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readSummary(path: string): RunSummary {
  if (!existsSync(path)) return { passed: 0, failed: [], skipped: [] };
  return JSON.parse(readFileSync(path, "utf8"));
}

/** Counts one failure if vitest failed without a failed test. */
function countingCrash(summary: RunSummary, exitCode: unknown): RunSummary {
  if (summary.failed.length > 0 || exitCode === 0) return summary;
  return { ...summary, failed: [{ title: "vitest", reason: `exit code ${exitCode}` }] };
}
