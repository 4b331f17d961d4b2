import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Clock } from "@membus/protocol";
import { beats } from "./heartbeat.js";
import { answers } from "./lock-socket.js";

/** Who holds a lock, as written beside its socket. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** Changes with every boot, the same in all containers of a machine; "" where the system has none. */
  readonly boot: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** False where the file system has no sockets: what follows has to do then. */
  readonly hasSocket: boolean;
  /** Whose process ids they are: a container that starts has its own. "" where the system has one for all. */
  readonly pidSpace: string;
  /** When its process began, in the system's own unit: no other of this id did then. "" where the system does not tell. */
  readonly began: string;
}

export function presentHolder(clock: Clock, hasSocket: boolean): LockHolder {
  const startedAt = new Date(clock.now() * 1000).toISOString();
  const { pid } = process;
  const place = { host: hostname(), boot: bootId(), pidSpace: pidSpace() };
  return { pid, ...place, startedAt, began: beganAt(pid), hasSocket };
}

export interface HolderFiles {
  /** What says who holds the lock. A holder without a socket touches it now and then. */
  readonly path: string;
  readonly socketPath: string;
}

/**
 * Whether the holder lives. One that nothing here can tell of, as on another machine, counts as alive. Of one without a socket
 * that had this machine's or container's name, but not its process ids, only its heartbeat tells: it was started again, or
 * another lives beside it.
 */
export async function isAlive(
  holder: LockHolder,
  { path, socketPath }: HolderFiles,
  clock: Clock,
): Promise<boolean> {
  if (isElsewhere(holder)) return true;
  if (holder.hasSocket) return answers(socketPath);
  const { boot, pidSpace: space } = holder;
  if (isOther(boot, bootId()) || isOther(space, pidSpace())) return beats(path, clock);
  return isProcess(holder.pid) && !isOther(holder.began, beganAt(holder.pid));
}

/** On another machine; or in another container, where no socket tells. */
export function isElsewhere({ boot, host, hasSocket, pidSpace: space }: LockHolder): boolean {
  if (host === hostname()) return false;
  return isOther(boot, bootId()) || (!hasSocket && isOther(space, pidSpace()));
}

/** Where either is not known, nobody can tell. */
function isOther(one: string | undefined, other: string): boolean {
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

/** The 22nd field, behind a name that may have blanks and brackets in it. */
const BEGAN_FIELD = 22 - 3;

function beganAt(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[BEGAN_FIELD] ?? "";
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
