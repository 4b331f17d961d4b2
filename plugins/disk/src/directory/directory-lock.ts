import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import type { Server } from "node:net";
import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Clock, MemoryError, systemClock } from "@membus/protocol";
import { isMissingFile, readText } from "./durable-files.js";
import { startHeartbeat } from "./heartbeat.js";
import { currentHolder, isAlive, isRemote, type LockHolder } from "./lock-holder.js";
import { hasListener, listen } from "./lock-socket.js";

export interface DirectoryLock {
  /** Releases the lock, so that another process can take it. */
  release(): Promise<void>;
}

/**
 * Maximum attempts. More than a few mean that the lock keeps changing between checks, which indicates a
 * fault.
 */
const ATTEMPTS = 100;
/** Error codes of a rename onto a non-empty directory. */
const TARGET_EXISTS = new Set(["ENOTEMPTY", "EEXIST", "EPERM", "EACCES"]);
/**
 * Age in milliseconds at which a draft is abandoned. A draft normally exists for milliseconds, so an old one
 * belongs to a crashed process.
 */
const DRAFT_MS = 60_000;
/** Placeholder for a living holder with an unreadable file. */
const UNREADABLE: LockHolder = {
  ...{ pid: 0, host: hostname(), boot: "", pidSpace: "", startedAt: "?", began: "" },
  hasSocket: true,
};
const DRAFT = /^lock\.[0-9a-f]{8}$/;

/**
 * Locks a directory for this process until it releases the lock or exits.
 *
 * The lock is a directory `lock` that contains the holder's files. It is moved into place as a whole, which
 * fails unless the target is absent or empty. Each holder's files have unique names, so removing the files of
 * a dead holder never affects the next holder. Of several processes that start at once, exactly one gets the
 * lock.
 * @throws {MemoryError} `conflict` naming the holder, if the directory is locked.
 */
export async function lockDirectory(directory: string, { clock }: { clock: Clock }): Promise<DirectoryLock> {
  const id = randomBytes(4).toString("hex");
  const lock = join(resolve(directory), "lock");
  const draft = `${lock}.${id}`;
  await mkdir(draft);
  const server = await listen(join(draft, id));
  let stopHeartbeat = () => {};
  const release = async (from: string) => {
    stopHeartbeat();
    await rm(join(from, `${id}.json`), { force: true });
    await close(server);
    await rm(join(from, id), { force: true });
    await rmdir(from).catch(() => undefined);
  };
  try {
    await writeFile(join(draft, `${id}.json`), JSON.stringify(currentHolder(clock, server !== undefined)));
    await acquire(lock, draft);
  } catch (error) {
    await release(draft);
    throw error;
  }
  if (server === undefined) stopHeartbeat = startHeartbeat(join(lock, `${id}.json`), systemClock);
  // Cleanup is optional: a draft that cannot be removed, such as one of another user, does not prevent the
  // lock.
  await removeAbandonedDrafts(lock).catch(() => undefined);
  return { release: () => release(lock) };
}

async function acquire(lock: string, draft: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await moveInto(lock, draft)) return;
    const holder = await removeDeadHolders(lock);
    if (holder !== undefined) throw lockedError(lock, holder);
  }
  throw new MemoryError(
    "conflict",
    `${lock} keeps changing owner. Check which processes use this directory`,
    { path: lock },
  );
}

async function moveInto(lock: string, draft: string): Promise<boolean> {
  // Windows cannot replace a directory by rename, not even an empty one.
  await rmdir(lock).catch(() => undefined);
  try {
    await rename(draft, lock);
    return true;
  } catch (error) {
    if (TARGET_EXISTS.has((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

async function removeAbandonedDrafts(lock: string): Promise<void> {
  const { mtimeMs: takenAt } = await stat(lock);
  const drafts = (await listNames(dirname(lock))).filter((name) => DRAFT.test(name));
  const removals = drafts.map(async (name) => {
    const draft = join(dirname(lock), name);
    if ((await stat(draft)).mtimeMs < takenAt - DRAFT_MS) await rm(draft, { recursive: true, force: true });
  });
  await Promise.allSettled(removals);
}

/** Returns the current lock holder of a directory, or undefined. */
export function directoryHolder(directory: string): Promise<LockHolder | undefined> {
  const lock = join(resolve(directory), "lock");
  return livingHolder(lock);
}

/** Returns the living holder. If there is none, removes the files of dead holders. */
async function removeDeadHolders(lock: string): Promise<LockHolder | undefined> {
  const names = await listNames(lock);
  const holder = await livingHolder(lock, names);
  if (holder !== undefined) return holder;
  for (const name of names) await rm(join(lock, name), { force: true });
  return undefined;
}

async function livingHolder(lock: string, listed?: readonly string[]): Promise<LockHolder | undefined> {
  const names = listed ?? (await listNames(lock));
  for (const name of names.filter((file) => file.endsWith(".json"))) {
    const path = join(lock, name);
    const socketPath = path.slice(0, -".json".length);
    const holder = await readHolder(path, socketPath);
    // Uses the system clock, because an injected clock may be stopped.
    if (holder !== undefined && (await isAlive(holder, { path, socketPath }, systemClock))) return holder;
  }
  return undefined;
}

async function listNames(lock: string): Promise<string[]> {
  try {
    return await readdir(lock);
  } catch (error) {
    if (isMissingFile(error)) return [];
    throw error;
  }
}

/**
 * Returns undefined if the file no longer exists, because the holder released it or another process removed
 * it as dead.
 */
async function readHolder(path: string, socketPath: string): Promise<LockHolder | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  try {
    const holder = JSON.parse(text) as LockHolder | null;
    if (typeof holder?.pid === "number") return holder;
  } catch {
    // A power loss may leave the file empty.
  }
  return (await hasListener(socketPath)) ? UNREADABLE : undefined;
}

function lockedError(lock: string, holder: LockHolder): MemoryError {
  const { pid, host, startedAt } = holder;
  const hint = isRemote(holder) ? `. If that machine or container no longer exists, remove ${lock}` : "";
  const message = `${lock} is locked by process ${pid} on ${host} since ${startedAt}${hint}`;
  return new MemoryError("conflict", message, { path: lock, pid, host, started_at: startedAt });
}

async function close(server: Server | undefined): Promise<void> {
  if (server === undefined) return;
  server.close();
  await once(server, "close");
}
