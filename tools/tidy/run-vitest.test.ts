import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runVitest } from "./run-vitest.js";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "membus-run-vitest-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs test files in a separate project, isolated from the current test run. */
function run(files: Record<string, string>) {
  for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code);
  const { PATH, HOME } = process.env;
  return runVitest(["--root", folder, "--globals", "--maxWorkers=1"], { PATH, HOME }, "ignore");
}

it("counts passed tests and reports the reasons of skipped tests", async () => {
  const code = `
    describe("a", () => {
      it("works", () => {});
      it.skipIf(true)("waits (no server)", () => {});
      it("stops", (context) => context.skip("no disk"));
    });`;
  expect(await run({ "a.test.js": code })).toEqual({
    passed: 1,
    failed: [],
    skipped: [
      { title: "a.test.js > a > waits (no server)" },
      { title: "a.test.js > a > stops", reason: "no disk" },
    ],
  });
});

it("lists failed tests, failed hooks and files that cannot be loaded", async () => {
  const failing = 'it("fails", () => { throw new Error("x"); }); it("works", () => {});';
  const hook = 'describe("b", () => { beforeAll(() => { throw new Error("x"); }); it("waits", () => {}); });';
  const broken = 'import "./gone.js"; it("is never seen", () => {});';
  expect(await run({ "a.test.js": failing, "b.test.js": hook, "c.test.js": broken })).toEqual({
    passed: 1,
    failed: [
      { title: "a.test.js > fails", reason: "x" },
      { title: "b.test.js > b", reason: "x" },
      { title: "c.test.js", reason: expect.stringContaining("./gone.js") },
    ],
    skipped: [{ title: "b.test.js > b > waits", reason: "a hook before it failed" }],
  });
});

it("counts errors outside of any test", async () => {
  const code = 'it("works", () => { Promise.reject(new Error("unhandled rejection")); });';
  expect(await run({ "a.test.js": code })).toEqual({
    ...{ passed: 1, skipped: [] },
    failed: [{ title: "an error outside of any test", reason: "unhandled rejection" }],
  });
});

it.each([
  ["a process that is killed", 'it("ends", () => { process.kill(process.pid, "SIGKILL"); });'],
  ["no test", "const nothing = 1;"],
])("counts %s as a failure", async (_, code) => {
  const { passed, failed } = await run({ "a.test.js": code });
  expect(passed).toBe(0);
  expect(failed.length).toBeGreaterThan(0);
});

it("counts a run without any test file as a failure", async () => {
  expect(await run({})).toEqual({
    passed: 0,
    failed: [{ title: "vitest", reason: "exit code 1" }],
    skipped: [],
  });
});
