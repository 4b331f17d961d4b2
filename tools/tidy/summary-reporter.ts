import { writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";
import type { RunSummary } from "./run-summary.js";

/** Environment variable with the path of the file that the reporter writes. */
export const SUMMARY_FILE = "MEMBUS_TEST_SUMMARY";

/** Writes a `RunSummary` as JSON when the run has ended. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const summary = summarize(modules, unhandledErrors.length);
    writeFileSync(process.env[SUMMARY_FILE]!, JSON.stringify(summary));
  }
}

function summarize(modules: readonly TestModule[], unhandledCount: number): RunSummary {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const groups = modules.flatMap((module) => [module, ...module.children.allSuites()]);
  const inState = (...states: string[]) => tests.filter((test) => states.includes(test.result().state));
  return {
    passed: inState("passed").length,
    // A test that is pending after the run was lost in a crash of its process.
    failed: inState("failed", "pending").length + groups.filter(hasErrors).length + unhandledCount,
    skipped: inState("skipped").map((test) => ({
      title: `${test.module.relativeModuleId} > ${test.fullName}`,
      reason: skipReason(test),
    })),
  };
}

function hasErrors(group: TestModule | TestSuite): boolean {
  return group.errors().length > 0;
}

function skipReason(test: TestCase): string | undefined {
  const result = test.result();
  if (result.state === "skipped" && result.note !== undefined) return result.note;
  return ancestorsOf(test).some(hasErrors) ? "a hook before it failed" : undefined;
}

function ancestorsOf(test: TestCase): (TestModule | TestSuite)[] {
  const ancestors: (TestModule | TestSuite)[] = [];
  for (let group = test.parent; group.type === "suite"; group = group.parent) ancestors.push(group);
  return [...ancestors, test.module];
}
