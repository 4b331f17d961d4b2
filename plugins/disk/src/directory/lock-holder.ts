import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Clock } from "@membus/protocol";
import { hasHeartbeat } from "./heartbeat.js";
import { hasListener } from "./lock-socket.js";

/** Lock holder, as written next to its socket. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** Boot id, the same in all containers of a machine. "" if the system has none. */
  readonly boot: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** False if the file system has no sockets. The following fields then identify the process. */
  readonly hasSocket: boolean;
  /** Namespace of the process id. Each container has its own. "" if the system has only one. */
  readonly pidSpace: string;
  /**
   * Start time of the process in the system's unit. Distinguishes processes with the same id. "" if unknown.
   */
  readonly began: string;
}

export function currentHolder(clock: Clock, hasSocket: boolean): LockHolder {
  const startedAt = new Date(clock.now() * 1000).toISOString();
  const { pid } = process;
  const place = { host: hostname(), boot: bootId(), pidSpace: pidSpace() };
  return { pid, ...place, startedAt, began: processStart(pid), hasSocket };
}

export interface HolderFiles {
  /** File that names the holder. A holder without a socket touches it periodically. */
  readonly path: string;
  readonly socketPath: string;
}

/**
 * Returns whether the holder is alive. A holder that cannot be checked, such as one on another machine,
 * counts as alive.
 *
 * A holder without a socket, with this machine's or container's name but other process ids, is checked by its
 * heartbeat. It may have restarted, or another container with the same name may be running.
 */
export async function isAlive(
  holder: LockHolder,
  { path, socketPath }: HolderFiles,
  clock: Clock,
): Promise<boolean> {
  if (isRemote(holder)) return true;
  if (holder.hasSocket) return hasListener(socketPath);
  const { boot, pidSpace: space } = holder;
  if (differs(boot, bootId()) || differs(space, pidSpace())) return hasHeartbeat(path, clock);
  return isProcess(holder.pid) && !differs(holder.began, processStart(holder.pid));
}

/** Returns whether the holder is on another machine, or in another container without a socket. */
export function isRemote({ boot, host, hasSocket, pidSpace: space }: LockHolder): boolean {
  if (host === hostname()) return false;
  return differs(boot, bootId()) || (!hasSocket && differs(space, pidSpace()));
}

/** Returns whether two ids differ. Unknown ids never differ. */
function differs(one: string | undefined, other: string): boolean {
  return one !== undefined && one !== "" && other !== "" && one !== other;
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

function pidSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** Index of the start time, the 22nd field, after the process name, which may contain blanks and brackets. */
const START_TIME_FIELD = 22 - 3;

function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_TIME_FIELD] ?? "";
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
