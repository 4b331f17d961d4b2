import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import type { Server } from "node:net";
import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Clock, MemoryError, systemClock } from "@membus/protocol";
import { isMissingFile, readText } from "./durable-files.js";
import { startBeating } from "./heartbeat.js";
import { isAlive, isElsewhere, type LockHolder, presentHolder } from "./lock-holder.js";
import { answers, listen } from "./lock-socket.js";

export interface DirectoryLock {
  /** Lets the next owner in. */
  release(): Promise<void>;
}

/** Everybody who comes between two looks at the lock has died by the second: more than a few are a sign of trouble. */
const ATTEMPTS = 100;
/** A rename onto a directory that is not empty. */
const HELD = new Set(["ENOTEMPTY", "EEXIST", "EPERM", "EACCES"]);
/** A draft lives for milliseconds: one this much older than the lock that was taken is of a process that died. */
const DRAFT_MS = 60_000;
/** Who answers for a lock without saying who it is. */
const UNREADABLE: LockHolder = {
  ...{ pid: 0, host: hostname(), boot: "", pidSpace: "", startedAt: "?", began: "" },
  hasSocket: true,
};
const DRAFT = /^lock\.[0-9a-f]{8}$/;

/**
 * Makes this process the owner of a directory until it releases it or dies.
 *
 * The lock is a directory `lock` with the holder's files in it, moved into place as a whole: that fails unless there
 * was none or an empty one. The files of a dead holder have names of their own, so whoever removes them can never hit
 * those of the next. So of any number that start at once, one wins.
 *
 * @throws {MemoryError} `conflict` naming the holder when there is one.
 */
export async function lockDirectory(directory: string, { clock }: { clock: Clock }): Promise<DirectoryLock> {
  const id = randomBytes(4).toString("hex");
  const lock = join(resolve(directory), "lock");
  const draft = `${lock}.${id}`;
  await mkdir(draft);
  const server = await listen(join(draft, id));
  let endBeating = () => {};
  const release = async (from: string) => {
    endBeating();
    await rm(join(from, `${id}.json`), { force: true });
    await close(server);
    await rm(join(from, id), { force: true });
    await rmdir(from).catch(() => undefined);
  };
  try {
    await writeFile(join(draft, `${id}.json`), JSON.stringify(presentHolder(clock, server !== undefined)));
    await take(lock, draft);
  } catch (error) {
    await release(draft);
    throw error;
  }
  if (server === undefined) endBeating = startBeating(join(lock, `${id}.json`), systemClock);
  // Housekeeping: what cannot be removed, say another user's, keeps nobody out.
  await removeAbandonedDrafts(lock).catch(() => undefined);
  return { release: () => release(lock) };
}

async function take(lock: string, draft: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await moveInto(lock, draft)) return;
    const holder = await evictDead(lock);
    if (holder !== undefined) throw inUse(lock, holder);
  }
  throw new MemoryError("conflict", `${lock} changes hands all the time`, { path: lock });
}

async function moveInto(lock: string, draft: string): Promise<boolean> {
  // Windows replaces no directory, not even an empty one.
  await rmdir(lock).catch(() => undefined);
  try {
    await rename(draft, lock);
    return true;
  } catch (error) {
    if (HELD.has((error as NodeJS.ErrnoException).code ?? "")) return false;
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

/** Who owns a directory now; undefined where nobody does. */
export function directoryHolder(directory: string): Promise<LockHolder | undefined> {
  const lock = join(resolve(directory), "lock");
  return livingHolder(lock);
}

/** The living holder; when there is none, what dead ones left is removed. */
async function evictDead(lock: string): Promise<LockHolder | undefined> {
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
    // The time that passes on the machine: a clock that somebody else sets may stand.
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

/** Undefined when the file is gone since it was listed: its holder released it, or somebody else found it dead. */
async function readHolder(path: string, socketPath: string): Promise<LockHolder | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  try {
    const holder = JSON.parse(text) as LockHolder | null;
    if (typeof holder?.pid === "number") return holder;
  } catch {
    // Power loss leaves a file empty.
  }
  return (await answers(socketPath)) ? UNREADABLE : undefined;
}

function inUse(lock: string, holder: LockHolder): MemoryError {
  const { pid, host, startedAt } = holder;
  const hint = isElsewhere(holder) ? `; if that machine or container is gone, remove ${lock}` : "";
  const message = `${lock} is held by process ${pid} on ${host} since ${startedAt}${hint}`;
  return new MemoryError("conflict", message, { path: lock, pid, host, started_at: startedAt });
}

async function close(server: Server | undefined): Promise<void> {
  if (server === undefined) return;
  server.close();
  await once(server, "close");
}
