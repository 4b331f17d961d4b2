import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { type KillPoint, killPointEnvironment } from "./kill-point-environment.js";

/** File changes for the rounds of a test: dense at the start of an operation, then wider apart. */
export const FILE_CHANGES: readonly number[] = [1, 2, 3, 5, 8, 13, 21, 34];

/** Runs a script in a separate process until it kills itself at `point`, or ends. Returns its output lines. */
export async function runUntilKilled(
  script: URL,
  args: readonly string[],
  point: KillPoint,
): Promise<string[]> {
  const started = spawn(process.execPath, ["--conditions=membus-source", script.pathname, ...args], {
    env: { ...process.env, ...killPointEnvironment(point) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void started.kill("SIGKILL"));
  const exited = once(started, "exit");
  const lines: string[] = [];
  for await (const line of createInterface({ input: started.stdout })) lines.push(line);
  const [code] = (await exited) as [number | null];
  if (code !== null && code !== 0) throw new Error(`${script.pathname} exited with ${code}`);
  return lines;
}

/** Returns the number of the last line `<name> <number>`, or `fallback`. */
export function lastNumber(lines: readonly string[], name: string, fallback: number): number {
  const last = lines.findLast((line) => line.startsWith(`${name} `));
  return last === undefined ? fallback : Number(last.slice(name.length + 1));
}
