import { expect, it } from "vitest";
import { describeRun, isSuccess } from "./run-summary.js";

it("lists skipped and failed tests, then the counts", () => {
  expect(describeRun({ passed: 12, failed: [], skipped: [] })).toBe("12 passed, 0 failed");
  const skipped = [
    { title: "a.test.ts > needs disk (none here)" },
    { title: "b.test.ts > stops", reason: "no disk" },
  ];
  expect(
    describeRun({ passed: 12, failed: [{ title: "c.test.ts > adds", reason: "expected 3" }], skipped }).split(
      "\n",
    ),
  ).toEqual([
    "Skipped:",
    "  a.test.ts > needs disk (none here)",
    "  b.test.ts > stops: no disk",
    "Failed:",
    "  c.test.ts > adds: expected 3",
    "12 passed, 1 failed, 2 skipped",
  ]);
});

it("lists skipped slow test files and the command that runs them", () => {
  const run = { passed: 12, failed: [], skipped: [{ title: "a.test.ts > stops", reason: "no disk" }] };
  expect(describeRun(run, ["a.slow.test.ts"]).split("\n")).toEqual([
    "Slow tests, run by npm run test:slow:",
    "  a.slow.test.ts",
    "Skipped:",
    "  a.test.ts > stops: no disk",
    "12 passed, 0 failed, 1 skipped",
  ]);
});

it("is successful only if at least one test ran and none failed", () => {
  expect(isSuccess({ passed: 1, failed: [], skipped: [] })).toBe(true);
  expect(isSuccess({ passed: 1, failed: [{ title: "a" }], skipped: [] })).toBe(false);
  expect(isSuccess({ passed: 0, failed: [], skipped: [{ title: "a" }] })).toBe(false);
});
