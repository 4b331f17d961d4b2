import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Clock } from "@membus/protocol";
import { answers } from "./lock-socket.js";

/** Who holds a lock, as written beside its socket. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** Changes with every boot, the same in all containers of a machine; "" where the system has none. */
  readonly boot: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** False where the file system has no sockets: the process id has to do then. */
  readonly hasSocket: boolean;
}

export function presentHolder(clock: Clock, hasSocket: boolean): LockHolder {
  const startedAt = new Date(clock.now() * 1000).toISOString();
  return { pid: process.pid, host: hostname(), boot: bootId(), startedAt, hasSocket };
}

/** Whether the holder lives. One on another machine counts as alive, since nothing here can tell. */
export async function isAlive(holder: LockHolder, socketPath: string): Promise<boolean> {
  if (isElsewhere(holder)) return true;
  return holder.hasSocket ? answers(socketPath) : isProcess(holder.pid);
}

export function isElsewhere({ boot, host }: LockHolder): boolean {
  const here = bootId();
  return boot !== "" && here !== "" && boot !== here && host !== hostname();
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
