import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill("SIGKILL");
});

/** Sends SIGKILL to the process after `delayMs`. */
export type KillAfter = (delayMs: number) => void;

/**
 * Runs a script of this folder in a separate process. `onLine` receives its output, and kills it at some
 * time.
 */
export async function runUntilKilled(
  script: string,
  args: readonly string[],
  onLine: (line: string, killAfter: KillAfter) => void,
): Promise<void> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const options = ["--conditions=membus-source", "--import", "tsx"];
  const started = spawn(process.execPath, [...options, path, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  child = started;
  const exited = once(started, "exit");
  const killAfter: KillAfter = (delayMs) => void wait(delayMs).then(() => started.kill("SIGKILL"));
  for await (const line of createInterface({ input: started.stdout })) onLine(line, killAfter);
  await exited;
}
