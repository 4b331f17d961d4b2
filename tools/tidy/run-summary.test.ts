import { expect, it } from "vitest";
import { describeRun, isSuccess } from "./run-summary.js";

it("lists skipped tests, then the counts", () => {
  expect(describeRun({ passed: 12, failed: 0, skipped: [] })).toBe("12 passed, 0 failed");
  const skipped = [
    { title: "a.test.ts > needs disk (none here)" },
    { title: "b.test.ts > stops", reason: "no disk" },
  ];
  expect(describeRun({ passed: 12, failed: 1, skipped }).split("\n")).toEqual([
    "Skipped:",
    "  a.test.ts > needs disk (none here)",
    "  b.test.ts > stops: no disk",
    "12 passed, 1 failed, 2 skipped",
  ]);
});

it("lists skipped slow test files and the command that runs them", () => {
  const run = { passed: 12, failed: 0, skipped: [{ title: "a.test.ts > stops", reason: "no disk" }] };
  expect(describeRun(run, ["a.slow.test.ts"]).split("\n")).toEqual([
    "Slow tests, run by npm run test:slow:",
    "  a.slow.test.ts",
    "Skipped:",
    "  a.test.ts > stops: no disk",
    "12 passed, 0 failed, 1 skipped",
  ]);
});

it("is successful only if at least one test ran and none failed", () => {
  expect(isSuccess({ passed: 1, failed: 0, skipped: [] })).toBe(true);
  expect(isSuccess({ passed: 1, failed: 1, skipped: [] })).toBe(false);
  expect(isSuccess({ passed: 0, failed: 0, skipped: [{ title: "a" }] })).toBe(false);
});
