import { readFileSync, readlinkSync } from "node:fs";
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
  /** False where the file system has no sockets: what follows has to do then. */
  readonly hasSocket: boolean;
  /** Whose process ids they are: a container that starts has its own. "" where the system has one for all. */
  readonly pids: string;
  /** When its process began, in the system's own unit: no other of this id did then. "" where the system does not tell. */
  readonly began: string;
}

export function presentHolder(clock: Clock, hasSocket: boolean): LockHolder {
  const startedAt = new Date(clock.now() * 1000).toISOString();
  const { pid } = process;
  const place = { host: hostname(), boot: bootId(), pids: pidSpace() };
  return { pid, ...place, startedAt, began: beganAt(pid), hasSocket };
}

/** Whether the holder lives. One that nothing here can tell of, as on another machine, counts as alive. */
export async function isAlive(holder: LockHolder, socketPath: string): Promise<boolean> {
  if (isElsewhere(holder)) return true;
  return holder.hasSocket ? answers(socketPath) : isSameProcess(holder);
}

/** On another machine; or in another container, where no socket tells. */
export function isElsewhere({ boot, host, hasSocket, pids }: LockHolder): boolean {
  if (host === hostname()) return false;
  return isOther(boot, bootId()) || (!hasSocket && isOther(pids, pidSpace()));
}

/**
 * Whether it is this very process that still runs: in a container that has started again, or a machine, others have its id.
 * Who had the name of this container or machine before is gone.
 */
function isSameProcess({ pid, boot, pids, began }: LockHolder): boolean {
  if (isOther(boot, bootId()) || isOther(pids, pidSpace())) return false;
  return isProcess(pid) && !isOther(began, beganAt(pid));
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
