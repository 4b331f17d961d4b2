import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from "vitest/node";
import type { ListedTest, RunSummary } from "./run-summary.js";

const REASON_LENGTH_MAX = 200;

/** Environment variable with the path of the file that the reporter writes. */
export const SUMMARY_FILE = "MEMBUS_TEST_SUMMARY";

/** Writes a `RunSummary` as JSON when the run has ended. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const summary = summarize(modules, unhandledErrors);
    writeFileSync(process.env[SUMMARY_FILE]!, JSON.stringify(summary));
  }
}

function summarize(modules: readonly TestModule[], unhandled: readonly SerializedError[]): RunSummary {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const groups = modules.flatMap((module) => [module, ...module.children.allSuites()]);
  const inState = (...states: string[]) => tests.filter((test) => states.includes(test.result().state));
  const failedTests = inState("failed", "pending").map((test) => {
    // A test that is pending after the run was lost in a crash of its process.
    const { errors = [] } = test.result();
    return listed(titleOf(test), errors[0] ?? { message: "its process crashed" });
  });
  return {
    passed: inState("passed").length,
    failed: [
      ...failedTests,
      ...groups.filter(hasErrors).map((group) => listed(titleOf(group), group.errors()[0]!)),
      ...unhandled.map((error) => listed("an error outside of any test", error)),
    ],
    skipped: inState("skipped").map((test) => ({ title: titleOf(test), reason: skipReason(test) })),
  };
}

function listed(title: string, { message }: { readonly message: string }): ListedTest {
  return { title, reason: stripVTControlCharacters(message).split("\n")[0]!.slice(0, REASON_LENGTH_MAX) };
}

function titleOf(item: TestCase | TestSuite | TestModule): string {
  if (item.type === "module") return item.relativeModuleId;
  return `${item.module.relativeModuleId} > ${item.fullName}`;
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
