import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { syncDirectory } from "@membus/disk";

/** Receives the number of bytes of each chunk that was read. */
type OnBytes = (count: number) => void;

/** Copies a file and flushes it, so that it survives power loss. Returns the SHA-256 of its contents. */
export async function copyFileSynced(
  source: string,
  target: string,
  onBytes: OnBytes = () => {},
): Promise<string> {
  const hash = createHash("sha256");
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      onBytes(chunk.length);
      yield chunk;
    }
  };
  const written = createWriteStream(target, { flags: "wx", mode: 0o600, flush: true });
  await pipeline(createReadStream(source), hashed, written);
  return hash.digest("hex");
}

/** Returns false for a path that leads through a symbolic link below `folder`. */
export async function isPlainPath(folder: string, path: string): Promise<boolean> {
  return (await realpath(join(folder, path))) === join(await realpath(folder), path);
}

export async function hashOf(path: string, onBytes: OnBytes = () => {}): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    onBytes(chunk.length);
  }
  return hash.digest("hex");
}

/** Returns the relative paths of all files below a folder, sorted. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => relative(folder, join(entry.parentPath, entry.name))).sort();
}

/** Flushes a folder and all folders below it, so that their file names survive power loss. */
export async function syncFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const folders = entries.flatMap((entry) => (entry.isDirectory() ? join(entry.parentPath, entry.name) : []));
  for (const each of [...folders, folder]) await syncDirectory(each);
}

/** Returns the size of all files below a folder in bytes. A file that disappears in between counts as empty. */
export async function bytesBelow(folder: string, isCounted = (_path: string) => true): Promise<number> {
  let sum = 0;
  for (const path of (await filesBelow(folder)).filter(isCounted)) {
    sum += await stat(join(folder, path)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return sum;
}
