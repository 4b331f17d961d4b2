import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryHolder } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import { isMissing } from "../disk.js";

/** What LanceDB never changes, and so need not be copied. */
const UNCHANGED = /\.(?:lance|manifest|txn|arrow|bin|idx)$/;
/** Of a process that has the folder, or of no use but its size. */
const LEFT_OUT = /^(?:lock(?:\..*)?|reserve)$/;

const VIEW = /^membus-view-(\d+)-/;

/** A folder that looks like another one, and may be written: none of that reaches the other. */
export interface FolderView {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * A view of a tier's folder among the temporary files: links to the files of the tables, and copies of the rest, which is
 * as large as its log. Of a folder that is not there it is empty.
 * @throws {MemoryError} `conflict` while a process has the folder: its files go.
 */
export async function viewFolder(directory: string): Promise<FolderView> {
  const holder = await directoryHolder(directory);
  if (holder !== undefined) {
    const { pid, host } = holder;
    const message = `${directory} is in use by process ${pid} on ${host}: serve a copy of it read-only, or stop that`;
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

/** Views of processes that were killed: memories must not stay there. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = VIEW.exec(name)?.[1];
    if (pid === undefined || isProcess(Number(pid))) continue;
    const path = join(tmpdir(), name);
    // Another container's process is seen by its lock alone.
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
    if (LEFT_OUT.test(entry.name)) continue;
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
