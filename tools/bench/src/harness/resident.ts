import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";

/** Returns the RSS of a process in MiB, or NaN if the system does not report it. */
export async function residentMiB(child: Pick<ChildProcess, "pid">): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(status)?.[1];
  return kilobytes === undefined ? Number.NaN : Math.round(Number(kilobytes) / 1024);
}
