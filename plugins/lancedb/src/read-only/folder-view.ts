import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryHolder } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import { isMissing } from "../store/disk.js";

/** Files that LanceDB never changes, so they need not be copied. */
const UNCHANGED = /\.(?:lance|manifest|txn|arrow|bin|idx)$/;
/** Files of the lock, and the disk reserve, which are omitted. */
const OMITTED = /^(?:lock(?:\..*)?|reserve)$/;

const VIEW = /^membus-view-(\d+)-/;

/** Writable view of a folder. Writes never reach the original folder. */
export interface FolderView {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Creates a view of a tier's folder in the temporary directory, with links to table files. All other
 * files are copied, which takes about the size of its log. The view of a missing folder is empty.
 * @throws {MemoryError} `conflict` while a process uses the folder, because it removes files.
 */
export async function viewFolder(directory: string): Promise<FolderView> {
  const holder = await directoryHolder(directory);
  if (holder !== undefined) {
    const { pid, host } = holder;
    const message = `${directory} is in use by process ${pid} on ${host}. Stop it, or serve a copy of the folder read-only`;
    throw new MemoryError("conflict", message, { path: directory, pid, host });
  }
  await removeAbandoned();
  const path = await mkdtemp(join(tmpdir(), `membus-view-${process.pid}-`));
  const remove = () => rm(path, { recursive: true, force: true });
  try {
    await viewEntries(directory, path);
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Removes views of killed processes, because memories must not stay there. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = VIEW.exec(name)?.[1];
    if (pid === undefined || isProcess(Number(pid))) continue;
    const path = join(tmpdir(), name);
    // A process in another container is only visible through its lock.
    if ((await directoryHolder(path).catch(() => true)) !== undefined) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function viewEntries(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch(noEntries);
  for (const entry of entries) {
    if (OMITTED.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target, { mode: 0o700 });
      await viewEntries(source, target);
    } else if (UNCHANGED.test(entry.name) && process.platform !== "win32") await symlink(source, target);
    else await copyWritable(source, target);
  }
}

async function copyWritable(source: string, target: string): Promise<void> {
  await copyFile(source, target);
  await chmod(target, 0o600);
}

function noEntries(error: unknown): [] {
  if (isMissing(error)) return [];
  throw error;
}
