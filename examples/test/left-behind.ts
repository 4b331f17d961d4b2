import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { readdirSync } from "node:fs";
import { lineOf } from "../../cli/test/run-cli.js";

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns the process ids printed by a demo or an example. */
export async function pidsOf(child: ChildProcessWithoutNullStreams): Promise<[server: number, host: number]> {
  const line = await lineOf(child, /host: process \d+/);
  const [, server, host] = /process (\d+); host: process (\d+)/.exec(line)!;
  return [Number(server), Number(host)];
}

/** Returns the files left in a folder for temporary files, except caches of tsx and Node. */
export function leftIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith("membus-"));
}
