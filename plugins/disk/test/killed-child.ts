import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach } from "vitest";

const KILL_POINT = new URL("kill-point.ts", import.meta.url).href;

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill("SIGKILL");
});

/** The point at which a process kills itself. */
export interface KillPoint {
  /** Output line after which file changes are counted. */
  readonly after: string;
  /** The process kills itself before this file change, counted from 1. Half-written data counts as a change. */
  readonly fileChange: number;
}

/** File changes for the rounds of a test: dense at the start of an operation, then wider apart. */
export const FILE_CHANGES: readonly number[] = [1, 2, 3, 5, 8, 13, 21, 34];

/** Runs a script in a separate process until it kills itself at `point`, or ends. Returns its output lines. */
export async function runUntilKilled(
  script: URL,
  args: readonly string[],
  { after, fileChange }: KillPoint,
): Promise<string[]> {
  const options = ["--conditions=membus-source", "--import", "tsx", "--import", KILL_POINT];
  const env = { ...process.env, KILL_AFTER: after, KILL_FILE_CHANGE: String(fileChange) };
  const started = spawn(process.execPath, [...options, script.pathname, ...args], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  child = started;
  const exited = once(started, "exit");
  const lines: string[] = [];
  for await (const line of createInterface({ input: started.stdout })) lines.push(line);
  await exited;
  return lines;
}

/** Returns the number of the last line `<name> <number>`, or `fallback`. */
export function lastNumber(lines: readonly string[], name: string, fallback: number): number {
  const last = lines.findLast((line) => line.startsWith(`${name} `));
  return last === undefined ? fallback : Number(last.slice(name.length + 1));
}
