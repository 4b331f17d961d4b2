import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { resultOf } from "../../cli/test/run-cli.js";
import { isRunning, leftIn, pidsOf } from "./left-behind.js";

const MAIN = fileURLToPath(new URL("../demo/main.ts", import.meta.url));

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "membus-test-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Starts the demo as `npm run demo` does, with temporary files in the test's folder. */
function startDemo(): ChildProcessWithoutNullStreams {
  const env = { ...process.env, MEMBUS_NATS_SERVER: NATS_SERVER, TMPDIR: directory };
  return spawn(process.execPath, ["--import", "tsx", MAIN], { env });
}

it("passes every check, and leaves no files", async () => {
  const { code, stdout, stderr } = await resultOf(startDemo());
  expect(stdout).not.toContain("✗");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.match(/✓/g)).toHaveLength(31);
  expect(stdout).toMatch(/\n31 of 31 checks passed\n$/);
  expect(leftIn(directory)).toEqual([]);
});

it("fails if the host dies and is not restarted", async () => {
  const demo = startDemo();
  const result = resultOf(demo);
  const [, host] = await pidsOf(demo);
  process.kill(host, "SIGKILL");
  const { code, stdout } = await result;
  expect(code).toBe(1);
  expect(stdout).toContain("✗ the demo completes: the host exited");
  expect(leftIn(directory)).toEqual([]);
});

it("stops everything it has started when it is interrupted", async () => {
  const demo = startDemo();
  const result = resultOf(demo);
  const pids = await pidsOf(demo);
  expect(pids.map(isRunning)).toEqual([true, true]);
  demo.kill("SIGINT");
  const { code, stdout } = await result;
  expect(code).toBe(1);
  expect(stdout).toContain("✗ the demo completes: interrupted");
  expect(pids.map(isRunning)).toEqual([false, false]);
  expect(leftIn(directory)).toEqual([]);
});
