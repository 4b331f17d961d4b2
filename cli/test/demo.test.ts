import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Transcript } from "../src/demo/transcript.js";
import { lineOf, resultOf, runCli, spawnCli } from "./run-cli.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "membus-test-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const pidIn = (line: string) => Number(/process(?:es)? (\d+)/.exec(line)![1]);

it("keeps every promise, and leaves nothing behind", async () => {
  const { code, stdout, stderr } = await runCli(["demo", "--json"], { cwd: directory });
  const steps = JSON.parse(stdout) as { section: string; step: string; ok: boolean; detail: string }[];
  expect(steps.filter(({ ok }) => !ok)).toEqual([]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(new Set(steps.map(({ section }) => section)).size).toBe(12);
  expect(steps.length).toBeGreaterThan(50);
  expect(readdirSync(directory)).toEqual([]);
});

it("fails when a promise is broken: here one agent dies, and takes its answers with it", async () => {
  const demo = spawnCli(["demo"], { cwd: directory });
  const result = resultOf(demo);
  const agents = await lineOf(demo, /alice and bob reach the same host/);
  process.kill(pidIn(agents), "SIGKILL");
  const { code, stdout } = await result;
  expect(code).toBe(1);
  expect(stdout).toContain("goes on: alice's process ended");
  expect(readdirSync(directory)).toEqual([]);
});

it("ends everything it started when it is interrupted", async () => {
  const demo = spawnCli(["demo"], { cwd: directory });
  const result = resultOf(demo);
  const server = lineOf(demo, /nats-server .* listens/);
  const host = lineOf(demo, /the host serves three tiers/);
  const pids = [pidIn(await server), pidIn(await host)];
  expect(pids.map(isRunning)).toEqual([true, true]);
  demo.kill("SIGINT");
  const { code, stderr } = await result;
  expect([code, stderr]).toEqual([1, "membus: interrupted (unavailable)\n"]);
  expect(pids.map(isRunning)).toEqual([false, false]);
  expect(readdirSync(directory)).toEqual([]);
});

it("lists the steps that were not as promised", () => {
  const lines: string[] = [];
  const transcript = new Transcript((line) => lines.push(line));
  transcript.begin("Section");
  transcript.check("holds", true, "1 of 1");
  transcript.check("does not", false, "0 of 1");
  transcript.close(1.25);
  expect(lines).toEqual([
    "\nSection",
    "  ✓ holds: 1 of 1",
    "  ✗ does not: 0 of 1",
    "\n1 of 2 steps as promised, in 1.3 s",
    "  ✗ Section, does not: 0 of 1",
  ]);
  expect(transcript.failed).toEqual([{ section: "Section", step: "does not", ok: false, detail: "0 of 1" }]);
});
